/** Round trips are shared, answered in order, bounded, and fail for those who shared them. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RoundTrips } from './round-trips.ts';

it('carries everything once, in order, few at a time, and one round trip after the other', async () => {
  const asked = fc.array(fc.record({ turns: fc.nat(3), fails: fc.boolean() }), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(asked, fc.integer({ min: 1, max: 5 }), async (each, maxAtOnce) => {
      const carried: number[] = [];
      let underWay = 0;
      const roundTrips = new RoundTrips<number, string>(async (numbers) => {
        underWay += 1;
        expect(underWay).toBe(1);
        expect(numbers.length).toBeLessThanOrEqual(maxAtOnce);
        carried.push(...numbers);
        await new Promise(setImmediate);
        underWay -= 1;
        if (numbers.some((number) => each[number]?.fails)) throw new Error(numbers.join());
        return numbers.map((number) => `answer ${number}`);
      }, maxAtOnce);
      const order: number[] = [];
      const outcomes = await Promise.all(
        each.map(async ({ turns }, number) => {
          for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate);
          order.push(number);
          return roundTrips
            .ask(number)
            .catch((error: Error) => error.message.split(',').map(Number));
        }),
      );
      await roundTrips.rest();
      expect(carried).toEqual(order);
      for (const [number, outcome] of outcomes.entries()) {
        if (typeof outcome === 'string') expect(outcome).toBe(`answer ${number}`);
        else expect(outcome).toContain(number);
        if (each[number]?.fails) expect(outcome).toBeInstanceOf(Array);
      }
    }),
  );
});

it('shares one round trip among all of a turn', async () => {
  const sizes: number[] = [];
  const roundTrips = new RoundTrips<number, number>(async (numbers) => {
    sizes.push(numbers.length);
    return numbers;
  });
  await Promise.all([1, 2, 3].map((number) => roundTrips.ask(number)));
  expect(sizes).toEqual([3]);
});
