/** Compares the read models with a replay of the log, and the accounts with the journal. */
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeRecord, journal, nearestNumber, openerOf, toMajor } from '@counterfoil/core';
import { LedgerView, PROJECTIONS, rebuild } from '@counterfoil/projections';
import { type Credentials, requestOf } from '@counterfoil/test/caller';
import type { Model } from '@counterfoil/test/model';
import type { Balancer } from './balancer.ts';
import type { Claim } from './claim.ts';
import type { Inside } from './cluster.ts';
import type { Member } from './member.ts';

const LOOK_MS = 250;
const MOST_LOOKS = 480;
const MOST_ACCOUNTS = 1_000;

/** Waits until every live build has applied the whole log; throws on timeout. */
export async function caughtUp({ events, readModels }: Inside): Promise<void> {
  for (let look = 0; look < MOST_LOOKS; look += 1) {
    const head = await events.head();
    const places = await Promise.all(
      PROJECTIONS.map(async ({ name }) => (await readModels.live(name))?.checkpoint()),
    );
    if (places.every((place) => place === head)) return;
    await sleep(LOOK_MS);
  }
  throw new Error('the read models do not catch up with the log');
}

/** A replay of the log into new builds yields the live documents. */
export async function equalToRebuilt(inside: Inside): Promise<Claim> {
  const { events, readModels: store, keys: vault } = inside;
  const problems: string[] = [];
  let replayed = 0;
  for (const projection of PROJECTIONS) {
    const shared = { events, store, vault, projection, holder: 'example', now: Date.now };
    const rebuilt = await rebuild(shared);
    replayed = Math.max(replayed, rebuilt.events);
    const { differences, parked } = rebuilt;
    if (differences === undefined) problems.push(`${projection.name} has no live build to compare`);
    for (const { collection, live, rebuilt: other } of differences ?? []) {
      const [before, after] = [live?.count, other?.count];
      problems.push(`${projection.name} ${collection}: ${before} documents live, ${after} rebuilt`);
    }
    for (const { stream } of parked) problems.push(`${projection.name} could not apply ${stream}`);
    await store.dropBuild(projection.name, rebuilt.build);
  }
  const facts = `${PROJECTIONS.length} projections replayed ${replayed} events`;
  return { says: 'read models equal a fresh rebuild', facts, problems };
}

interface Shown {
  readonly balancer: Balancer;
  readonly hosts: readonly Member[];
  readonly all: readonly Credentials[];
}

/** Debits equal credits in the journal of the whole log, and the accounts are its sums. */
export async function balancedBooks(model: Model, inside: Inside, shown: Shown): Promise<Claim> {
  const problems: string[] = [];
  const { sumMinor, entries } = await journalOf(inside);
  for (const [currency, minor] of sumMinor) {
    if (minor !== 0n) problems.push(`the journal is off by ${minor} ${currency}`);
  }
  let count = 0;
  for (const as of shown.all) {
    const found = await booksOf(as, { model, inside, shown });
    problems.push(...found.problems);
    count += found.accounts;
  }
  const facts = `${entries} journal entries, ${count} accounts of ${shown.all.length} tenants, a trial balance at each host`;
  return { says: 'books balanced', facts, problems };
}

async function booksOf(
  as: Credentials,
  { model, inside, shown }: { model: Model; inside: Inside; shown: Shown },
): Promise<{ readonly accounts: number; readonly problems: readonly string[] }> {
  const { tenantId } = as;
  const problems: string[] = [];
  const view = new LedgerView(inside.readModels);
  const { accounts } = await view.accounts({ tenantId, limit: MOST_ACCOUNTS });
  const live = accounts.map((each) =>
    lineOf(
      `${each.merchantAccountId}/${each.currency}/${each.account}`,
      nearestNumber(each.debit),
      nearestNumber(each.credit),
    ),
  );
  const expected = accountsOf(model, `${tenantId}/live/`);
  if (String(live.sort()) !== String(expected.sort())) {
    problems.push(`the accounts are ${live}, and the events add up to ${expected}`);
  }
  for (const host of shown.hosts) {
    const request = requestOf('get', '/api/ledger/trial-balance');
    const { body } = await shown.balancer.sendTo(host, request, as);
    if (body.balanced !== true) problems.push(`${host.name} shows ${JSON.stringify(body)}`);
  }
  return { accounts: accounts.length, problems };
}

/** Debit minus credit of all entries by currency, and their number. */
async function journalOf({ events, keys }: Inside) {
  const sumMinor = new Map<string, bigint>();
  let entries = 0;
  for await (const batch of events.subscribe({ untilHead: true })) {
    const opener = await openerOf(keys, batch);
    for (const stored of batch) {
      const entry = journal(decodeRecord(stored, opener).event);
      if (entry === undefined) continue;
      entries += 1;
      for (const { currency, debitMinor, creditMinor } of entry.lines) {
        sumMinor.set(currency, (sumMinor.get(currency) ?? 0n) + debitMinor - creditMinor);
      }
    }
  }
  return { sumMinor, entries };
}

function accountsOf({ balances }: Model, prefix: string): string[] {
  return [...balances]
    .filter(([key]) => key.startsWith(prefix))
    .map(([key, { debitMinor, creditMinor }]) => {
      const account = key.slice(prefix.length);
      const currency = account.split('/')[1] ?? '';
      return lineOf(account, toMajor(debitMinor, currency), toMajor(creditMinor, currency));
    });
}

function lineOf(account: string, debit: number, credit: number): string {
  return `${account} ${debit} ${credit}`;
}
