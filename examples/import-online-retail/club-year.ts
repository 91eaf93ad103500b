/** A year of the club: members join, are billed by the host's own clock, replace cards, and leave. */
import { FEE_MINOR, FREQUENCY_DAYS, type Member, NEW_CARD, WEEKS } from './club.ts';
import { answerOf, type ClubApi, named } from './club-api.ts';

const WEEK_MS = 7 * 86_400_000;
/** Concurrent calls. */
const CONCURRENCY = 32;
const FEE = Number(FEE_MINOR) / 100;

interface Joined {
  readonly member: Member;
  readonly id: number;
}

/**
 * Runs the year week by week. Keys derive from member and file: a second run repeats nothing, and
 * an interrupted one continues.
 */
export async function runClubYear(
  api: ClubApi,
  members: readonly Member[],
  onWeek: (week: number) => void,
): Promise<void> {
  const joined: Joined[] = [];
  let startMs: number | undefined;
  for (let week = 0; week < WEEKS; week += 1) {
    const joining = members.filter(({ joinsInWeek }) => joinsInWeek === week);
    joined.push(...(await inParallel(joining, (member) => join(api, member))));
    startMs ??= await startOf(api, joined);
    await inParallel(joined, ({ member, id }) => liveOn(api, { member, id, week }));
    await moveClock(api, startMs + (week + 1) * WEEK_MS);
    onWeek(week + 1);
  }
}

async function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      for (const [index, item] of queue) results[index] = await work(item);
    }),
  );
  return results;
}

async function join({ client }: ClubApi, member: Member): Promise<Joined> {
  const { email, firstName, lastName, address } = member;
  const payment = {
    amount: FEE,
    currency: 'GBP',
    email,
    customer: { firstName, lastName },
    card: cardOf(member, member.cardNumber),
    addresses: [withoutEmpty(address)],
    subscription: {
      name: 'Gift club',
      description: 'A parcel every month',
      rebillAmount: FEE,
      frequency: FREQUENCY_DAYS,
    },
  };
  const params = named(`club/join/${member.customerId}`);
  const paid = await answerOf(client.POST('/v1/payments', { params, body: payment }));
  const [subscription] = paid.subscriptions;
  if (subscription === undefined) throw new Error(`${email} did not join`);
  return { member, id: subscription.id };
}

function cardOf({ firstName, lastName }: Member, number: string) {
  return { number, expMonth: 12, expYear: 2049, cvv: '123', holder: `${firstName} ${lastName}` };
}

/** In the interface, unknown members are absent. */
function withoutEmpty(address: object): object {
  return Object.fromEntries(Object.entries(address).filter(([, value]) => value !== ''));
}

/** When the first member joined, in this run or an earlier one. */
async function startOf(api: ClubApi, [first]: readonly Joined[]): Promise<number> {
  if (first === undefined) throw new Error('no member joined in the first week');
  return Date.parse((await read(api, first.id)).subDate);
}

function read({ client }: ClubApi, id: number) {
  return answerOf(client.GET('/v1/subscriptions/{id}', { params: { path: { id } } }));
}

/** A member's actions in a week, besides billing. */
async function liveOn(
  api: ClubApi,
  { member, id, week }: Joined & { readonly week: number },
): Promise<void> {
  const { email, leavesInWeek, bringsNewCard, customerId } = member;
  if (week === leavesInWeek) {
    const params = named(`club/leave/${customerId}`);
    const body = { ...api.claims, email, subscriberIds: `[${id}]` };
    await answerOf(api.client.POST('/customerapi/unsubscribe', { params, body }));
  } else if (bringsNewCard && (await read(api, id)).frozen) {
    const params = { ...named(`club/card/${customerId}`), path: { id } };
    const body = { card: cardOf(member, NEW_CARD) };
    await answerOf(api.client.POST('/v1/subscriptions/{id}/card', { params, body }));
  }
}

/** The host completes everything that becomes due before it responds. */
async function moveClock({ client }: ClubApi, toMs: number): Promise<void> {
  const { now } = await answerOf(client.GET('/v1/test/clock'));
  if (Date.parse(now) >= toMs) return;
  await answerOf(client.POST('/v1/test/clock', { body: { now: new Date(toMs).toISOString() } }));
}
