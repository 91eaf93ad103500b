/** Every email that is accepted comes to an end, whatever a mail server says. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MINUTE_MS, mail, no, opened } from './mail-shop.ts';

/** What a server may say to a recipient, or after a mail. */
const ANSWERS = [undefined, undefined, no(451, 'Later'), no(421, 'Stopping'), no(550, 'Never')];

it('ends every mail that is accepted: sent, failed or suppressed, and sent once', async () => {
  const { server, clock, ledger, shop } = await opened();
  const answers = fc.oneof(
    fc.array(fc.constantFrom(...ANSWERS), { maxLength: 12 }),
    fc.constantFrom(...ANSWERS).map((each) => Array(100).fill(each)),
  );
  const traffic = fc.record({
    afterData: answers,
    toRecipients: answers,
    dropNext: fc.nat(2),
    mails: fc.array(
      fc.record({
        key: fc.nat(3),
        to: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 }),
      }),
      { minLength: 1, maxLength: 6 },
    ),
  });
  let run = 0;
  await fc.assert(
    fc.asyncProperty(traffic, async ({ afterData, toRecipients, dropNext, mails }) => {
      run += 1;
      server.mails.length = 0;
      server.afterData.splice(0, Infinity, ...afterData);
      server.toRecipients.splice(0, Infinity, ...toRecipients);
      server.dropNext = dropNext;
      const ids = new Map<number, Set<string>>();
      const submitAll = async () => {
        for (const { key, to } of mails) {
          // The same content for a key, whoever it names first.
          const first = mails.find((each) => each.key === key)?.to ?? to;
          const idempotencyKey = `${run} ${key}`;
          const people = first.map((name) => `${name}${run}@example.com`);
          const { id } = await shop.mails.submit(mail({ idempotencyKey, to: people }));
          ids.set(key, (ids.get(key) ?? new Set()).add(id));
        }
      };
      for (const minutes of [0, 1, 5, 30, 120, 480]) {
        clock.nowMs += minutes * MINUTE_MS;
        await submitAll();
        await ledger.runDue();
      }
      for (const named of ids.values()) {
        expect(named.size).toBe(1);
        const [id = ''] = named;
        const { status, history, nextTryAt, reason } = await shop.mails.get(id);
        expect(nextTryAt).toBeNull();
        const taken = server.mails.filter(({ parsed }) => parsed.messageId?.includes(id));
        const everyone = taken.flatMap(({ to }) => to);
        // Once for each recipient: no answer was lost after it was given.
        expect(new Set(everyone).size).toBe(everyone.length);
        expect(status).toBe(taken.length > 0 ? 'sent' : 'failed');
        if (status === 'failed') expect(reason).not.toBe('');
        expect(history.length).toBeGreaterThan(0);
      }
    }),
    { numRuns: 30 },
  );
});
