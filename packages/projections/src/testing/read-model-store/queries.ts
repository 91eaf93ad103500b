/** Contract cases: lists, walks and greps, each beside a plain filter over the same documents. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Build, Document, Walk } from '../../read-model-store.ts';
import { commit, type Harness, made, row, thing, word } from './harness.ts';

/** More documents under one value than any adapter would gather and sort at once. */
const MANY = 3_000;
const NAMES = ['ann', 'bob', 'cid', 'İda', ''];
/** Between two sort values: they span years of milliseconds, on both sides of zero. */
const STEP = 2 ** 27 + 1;
const COLOURS = ['red', 'green', 'blue'];

export function describeQueries(harness: Harness): void {
  describeLists(harness);
  describeWalks(harness);
  describeGreps(harness);
}

function describeLists(harness: Harness): void {
  it.each([
    ['things', (key: string) => thing(key)],
    ['rows', (key: string) => row({ key, sort: key.length })],
  ] as const)(
    'lists %s by prefix in key order, from a key on, up to a limit',
    async (of, document) => {
      const build = await harness.build();
      const documents = ['b/2', 'a/1', 'b/1', 'b', 'c', 'b/10'].map(document);
      await commit(build, made(of, ...documents));
      const list = async (prefix: string, limit: number, after?: string) => {
        const options = { prefix, limit, ...(after === undefined ? {} : { after }) };
        return (await build.list(of, options)).map(({ key }) => key);
      };
      expect(await list('', 10)).toEqual(['a/1', 'b', 'b/1', 'b/10', 'b/2', 'c']);
      expect(await list('b/', 10)).toEqual(['b/1', 'b/10', 'b/2']);
      expect(await list('b/', 2)).toEqual(['b/1', 'b/10']);
      expect(await list('b/', 2, 'b/10')).toEqual(['b/2']);
      expect(await list('b/', 2, 'a')).toEqual(['b/1', 'b/10']);
      expect(await list('z', 2)).toEqual([]);
      const [{ body } = { body: '' }] = await build.list(of, { prefix: 'c', limit: 1 });
      expect(body).toBe(documents.find(({ key }) => key === 'c')?.body);
    },
  );
}

function describeWalks(harness: Harness): void {
  it('walks by sort descending, then key ascending, within one partition', async () => {
    const build = await harness.build();
    await commit(build, [
      ...made(
        'rows',
        row({ key: 'b', sort: 5 }),
        row({ key: 'a', sort: 5 }),
        row({ key: 'c', sort: 9 }),
      ),
      ...made('rows', row({ key: 'd', sort: 7, partition: 'q' }), row({ key: 'e', sort: -3 })),
    ]);
    const walk = { collection: 'rows', where: [], limit: 10 };
    expect(keys(await build.walk({ ...walk, partition: 'p' }))).toEqual(['c', 'a', 'b', 'e']);
    expect(keys(await build.walk({ ...walk, partition: 'q' }))).toEqual(['d']);
    expect(keys(await build.walk({ ...walk, partition: 'none' }))).toEqual([]);
  });

  it('finds nothing under a value of the wrong type', async () => {
    const build = await harness.build();
    await commit(build, made('rows', row({ key: 'a', sort: 1, name: '3', size: 3 })));
    const find = async (field: string, value: string | number) =>
      keys(
        await build.walk({
          collection: 'rows',
          partition: 'p',
          where: [{ field, anyOf: [value] }],
          limit: 9,
        }),
      );
    expect(await find('size', 3)).toEqual(['a']);
    expect(await find('size', 3.5)).toEqual([]);
    expect(await find('size', 2 ** 60)).toEqual([]);
    expect(await find('name', '3')).toEqual(['a']);
    expect(await find('name', '')).toEqual([]);
    expect(await find('key', 'a')).toEqual(['a']);
    expect(await find('key', 'b')).toEqual([]);
  });

  it('answers any walk like a plain filter over the documents', async () => {
    const documents = crowd();
    const build = await filled(harness, documents);
    await fc.assert(
      fc.asyncProperty(walks(documents), async (walk) => {
        expect(keys(await build.walk(walk))).toEqual(plainly(documents, walk));
      }),
      { numRuns: 300 },
    );
  });

  it('merges many values, whether they are dense or sparse', async () => {
    // Three of each sort value, and one value in three of those that are asked for.
    const documents = Array.from({ length: MANY }, (_, at) =>
      row({ key: `d${at}`, sort: Math.floor(at / 3), size: at % 18 }),
    );
    const build = await filled(harness, documents);
    const anyOf = [0, 3, 5, 11, 12, 17];
    for (const limit of [1, 2, 5, 9, 10, 11, 40, 100]) {
      for (const to of [5, 500, MANY]) {
        const where = [{ field: 'size', anyOf }];
        const walk = { collection: 'rows', partition: 'p', where, to, limit };
        expect(keys(await build.walk(walk))).toEqual(plainly(documents, walk));
      }
    }
  });

  it('finds the first of one list of values, long or short, frequent or rare', async () => {
    // One in sixteen is the last of its 25 days, which SQLite keeps apart; all others are of a few months.
    const documents = Array.from({ length: MANY }, (_, at) =>
      row({
        key: `d${at}`,
        sort: at % 16 === 0 ? at * 2 ** 27 - 1 : instantAt(MANY + (at % 40)),
        size: at % 70,
      }),
    );
    const build = await filled(harness, documents);
    await fc.assert(
      fc.asyncProperty(lists(documents), async (walk) => {
        expect(keys(await build.walk(walk))).toEqual(plainly(documents, walk));
      }),
      { numRuns: 200 },
    );
  });

  it('partitions the result into pages, by skipping as by going on', async () => {
    const documents = crowd();
    const build = await filled(harness, documents);
    await fc.assert(
      fc.asyncProperty(walks(documents), fc.integer({ min: 20, max: 200 }), async (any, limit) => {
        const { after: _, skip: __, ...walk } = any;
        const all = plainly(documents, { ...walk, limit: Number.MAX_SAFE_INTEGER });
        const skipped: string[] = [];
        const followed: string[] = [];
        let after: Walk['after'];
        for (let start = 0; start < all.length; start += limit) {
          skipped.push(...keys(await build.walk({ ...walk, skip: start, limit })));
          const page = await build.walk({
            ...walk,
            limit,
            ...(after === undefined ? {} : { after }),
          });
          followed.push(...keys(page));
          const last = page.at(-1);
          if (last !== undefined) after = { sort: last.sort, key: last.key };
        }
        expect(skipped).toEqual(all);
        expect(followed).toEqual(all);
      }),
      { numRuns: 20 },
    );
  });
}

function describeGreps(harness: Harness): void {
  it('greps the texts of a partition for what they contain, letter by letter', async () => {
    const build = await harness.build();
    const texts = [
      'shop*one london',
      'shop*two',
      'a%b_c',
      'say "hi"',
      "o'neill",
      'füße',
      'ab',
      'SHOP',
      'line\n\\ \t "\u2028" \u0001 😀',
    ];
    await commit(build, made('words', ...texts.map((text) => word(text)), word('shop*else', 'q')));
    const grep = async (needle: string) => [...(await build.grep('words', 'p', needle))].sort();
    expect(await grep('shop')).toEqual(['shop*one london', 'shop*two']);
    expect(await grep('p*t')).toEqual(['shop*two']);
    expect(await grep('ne lo')).toEqual(['shop*one london']);
    expect(await grep('%b_')).toEqual(['a%b_c']);
    expect(await grep('y "h')).toEqual(['say "hi"']);
    expect(await grep("o'n")).toEqual(["o'neill"]);
    expect(await grep('üß')).toEqual(['füße']);
    expect(await grep('füß')).toEqual(['füße']);
    expect(await grep('ab')).toEqual(['ab']);
    expect(await grep('%')).toEqual(['a%b_c']);
    expect(await grep('\n\\ \t "')).toEqual(['line\n\\ \t "\u2028" \u0001 😀']);
    expect(await grep('😀')).toEqual(['line\n\\ \t "\u2028" \u0001 😀']);
    expect(await grep('xyz')).toEqual([]);
    expect(await build.grep('words', 'none', 'shop')).toEqual([]);
  });
}

/** Documents of which some values are very common, some rare, and many share their sort. */
function crowd(): readonly ReturnType<typeof row>[] {
  return Array.from({ length: MANY }, (_, index) =>
    row({
      key: `k${(index * 7_919) % MANY}`,
      partition: index % 10 === 0 ? 'q' : 'p',
      sort: instantAt(Math.floor(index / 3) % 400),
      name: index % 50 === 0 ? (NAMES[(index / 50) % 5] ?? null) : 'zoe',
      colour: index % 7 === 0 ? null : (COLOURS[index % 3] ?? null),
      size: index % 4,
      changed: instantAt((index * 31) % 500),
    }),
  );
}

function instantAt(step: number): number {
  return (step - 100) * STEP;
}

async function filled(harness: Harness, documents: readonly Document[]): Promise<Build> {
  const build = await harness.build();
  await commit(build, made('rows', ...documents));
  return build;
}

function walks(documents: readonly ReturnType<typeof row>[]): fc.Arbitrary<Walk> {
  const instant = fc.integer({ min: -5, max: 405 }).map(instantAt);
  const oneOrMore = <Value>(values: readonly Value[]) =>
    fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 4 });
  const where = fc.record(
    {
      name: oneOrMore([...NAMES, 'zoe', 'nobody']),
      colour: oneOrMore([...COLOURS, 'grey']),
      size: oneOrMore([0, 1, 2, 3, 4]),
      changed: fc.array(fc.integer({ min: 0, max: 500 }).map(instantAt), {
        minLength: 1,
        maxLength: 200,
      }),
      key: fc.array(fc.constantFrom(...documents.map(({ key }) => key)), { minLength: 1 }),
    },
    { requiredKeys: [] },
  );
  const orRange = fc.record({ field: fc.constant('changed'), from: instant, to: instant });
  return fc
    .record(
      {
        where,
        partition: fc.constantFrom('p', 'q'),
        limit: fc.integer({ min: 1, max: 120 }),
        from: instant,
        to: instant,
        orRange,
        skip: fc.integer({ min: 0, max: 900 }),
        after: fc.constantFrom(...documents).map(({ key, place }) => ({ key, sort: place.sort })),
      },
      { requiredKeys: ['where', 'partition', 'limit'] },
    )
    .map(({ where: fields, ...rest }) => ({
      collection: 'rows',
      where: Object.entries(fields).map(([field, anyOf]) => ({ field, anyOf: anyOf ?? [] })),
      ...(rest as Omit<Walk, 'collection' | 'where'>),
    }));
}

/** Walks by the values of one field alone; in a third of them by more than there are. */
function lists(documents: readonly ReturnType<typeof row>[]): fc.Arbitrary<Walk> {
  const instant = fc.oneof(
    fc.integer({ min: 0, max: MANY }),
    fc.integer({ min: MANY, max: MANY + 40 }),
  );
  const place = fc.constantFrom(...documents).map(({ key, place }) => ({ key, sort: place.sort }));
  const optional = fc.record(
    { from: instant.map(instantAt), to: instant.map(instantAt), skip: fc.nat(40), after: place },
    { requiredKeys: [] },
  );
  return fc
    .record({
      anyOf: fc.uniqueArray(fc.nat(100), { minLength: 2, maxLength: 70, size: 'max' }),
      limit: fc.integer({ min: 1, max: 120 }),
      optional,
    })
    .map(({ anyOf, limit, optional }) => ({
      collection: 'rows',
      partition: 'p',
      where: [{ field: 'size', anyOf }],
      limit,
      ...(optional as Pick<Walk, 'from' | 'to' | 'skip' | 'after'>),
    }));
}

/** What a walk must answer, as simply as it can be said. */
function plainly(documents: readonly ReturnType<typeof row>[], walk: Walk): readonly string[] {
  const { from = -Infinity, to = Infinity, orRange, after, skip = 0, limit } = walk;
  const found = documents.filter(({ key, place: { partition, sort, fields } }) => {
    if (partition !== walk.partition) return false;
    const changed = fields['changed'] as number;
    const inRange = sort >= from && sort <= to;
    const inOther = orRange !== undefined && changed >= orRange.from && changed <= orRange.to;
    if (!inRange && !inOther) return false;
    for (const { field, anyOf } of walk.where) {
      const value = field === 'key' ? key : fields[field];
      if (value == null || !anyOf.includes(value)) return false;
    }
    return after === undefined || sort < after.sort || (sort === after.sort && key > after.key);
  });
  found.sort((a, b) => b.place.sort - a.place.sort || (a.key < b.key ? -1 : 1));
  return found.slice(skip, skip + limit).map(({ key }) => key);
}

function keys(walked: readonly { readonly key: string }[]): readonly string[] {
  return walked.map(({ key }) => key);
}
