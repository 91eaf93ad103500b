/** State that hosts share: rate limits and idempotency keys. */

import { requestOf } from '@counterfoil/test/caller';
import type { Dice } from '@counterfoil/test/dice';
import { isOpen, textOf } from './acknowledged.ts';
import { type Balancer, isDecided } from './balancer.ts';
import type { Claim } from './claim.ts';
import { type Cluster, NARROW_LIMIT } from './cluster.ts';
import type { Load } from './load.ts';

/** Several times the limit. */
const BURST = 3 * NARROW_LIMIT;
const RACES = 25;
const WINDOW_MS = 60_000;

/** A limit is one limit, however many hosts are used. */
export async function sharedRateLimit(
  { hosts, narrow }: Cluster,
  balancer: Balancer,
): Promise<Claim> {
  const beganMs = performance.now();
  const answers = await Promise.all(
    Array.from({ length: BURST }, (_, index) => {
      const host = hosts[index % hosts.length];
      if (host === undefined) throw new Error('there is no host');
      return balancer.sendTo(host, requestOf('get', '/v1/payments'), narrow);
    }),
  );
  const tookMs = performance.now() - beganMs;
  const granted = answers.filter(({ status }) => status === 200);
  const refused = answers.filter(({ status }) => status === 429);
  const by = hosts.map(
    ({ name }) => `${granted.filter((each) => each.by.name === name).length} by ${name}`,
  );
  const problems: string[] = [];
  if (granted.length !== NARROW_LIMIT) problems.push(`${granted.length} were granted`);
  if (granted.length + refused.length !== BURST) problems.push('some got another response');
  if (tookMs >= WINDOW_MS) problems.push('it took longer than the window of the limit');
  const facts = `of ${BURST} requests at once ${granted.length} granted (${by.join(', ')}), with a limit of ${NARROW_LIMIT} a minute`;
  return { says: 'a rate limit holds across hosts', facts, problems };
}

/** The same key at both hosts concurrently: one acts, and the responses agree. */
export async function sharedKeys(
  { hosts }: Cluster,
  {
    balancer,
    load,
    dice,
    name,
  }: {
    readonly balancer: Balancer;
    readonly load: Load;
    readonly dice: Dice;
    readonly name: string;
  },
): Promise<Claim> {
  const problems: string[] = [];
  let inFlight = 0;
  for (let race = 1; race <= RACES; race += 1) {
    const body = load.drawPayment(dice);
    const request = requestOf('post', '/v1/payments', { body, key: `${name}-${race}` });
    const first = await Promise.all(hosts.map((host) => balancer.once(host, request, load.as)));
    inFlight += first.filter(({ body }) => body.code === 'idempotency_in_flight').length;
    // A request that was refused as in flight is retried, as callers do.
    const again = await Promise.all(hosts.map((host) => balancer.sendTo(host, request, load.as)));
    const answers = [...first.filter(isDecided), ...again];
    const final = new Set(answers.filter((each) => !isOpen(each)).map(textOf));
    const ids = new Set(answers.map(({ body }) => body.id));
    if (final.size > 1 || ids.size !== 1) {
      problems.push(`${request.key} got ${answers.map(textOf).join(' and ')}`);
    }
    const [answer] = again;
    if (answer !== undefined) load.keep({ kind: 'payment', request, answer });
  }
  const facts = `${RACES} keys at both hosts at once; ${inFlight} were refused as in flight`;
  return { says: 'an idempotency key holds across hosts', facts, problems };
}
