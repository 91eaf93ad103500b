/** A company whose names, emails and titles are long words, and the pages of the console that show them. */
import { type Caller, openAccount, type Running } from './running-host.ts';

const SURNAME = 'Wolfeschlegelsteinhausenbergerdorff';
const ACCOUNT = 9_901;

/** So many letters without a place to break. */
function letters(count: number): string {
  return SURNAME.repeat(Math.ceil(count / SURNAME.length)).slice(0, count);
}

/** Paths below `/console/live`, of an owner. */
export async function pagesOfLongWords(
  running: Running,
  { caller, owner }: { readonly caller: Caller; readonly owner: string },
): Promise<readonly string[]> {
  const { tenantId } = caller;
  await openAccount(running, tenantId, ACCOUNT, { title: letters(190), mid: letters(60) });
  const common = await caller.paid({ email: 'a.very.common.person@gmail.com' });
  const paid = await caller.paid({
    merchantAccountId: ACCOUNT,
    email: `${letters(49)}@example.com`,
    customer: { firstName: letters(60), lastName: SURNAME },
    subscription: { name: letters(60), rebillAmount: 10, interval: 'month' },
  });
  const { users, keys, senderDomains } = running.host.engine.as({ tenantId, actor: owner });
  const role = await users.createRole({ name: letters(64), scopes: ['transactions:read'] });
  const email = `${letters(50)}@example.com`;
  const user = await users.invite({ email, name: letters(100), roleIds: [role.id] });
  const key = await keys.create({ label: letters(64), scopes: ['transactions:read'] });
  const domain = await senderDomains.create({ domain: `${letters(60)}.example`.toLowerCase() });
  await running.host.readSide.caughtUp(tenantId);
  const month = paid.createdAt.slice(0, 'yyyy-mm'.length);
  const account = `merchantAccountId=${ACCOUNT}`;
  return [
    `/transactions/${common.id}/refund/review?what=all`,
    ...['', '/refund', '/refund/review?what=all'].map((more) => `/transactions/${paid.id}${more}`),
    ...['/customers', `/customers/${paid.customerId}`],
    ...['', '/freeze', '/end'].map((more) => `/subscriptions/${paid.subscriptionId}${more}`),
    ...['', '/edit', '/credentials'].map((more) => `/merchant-accounts/${ACCOUNT}${more}`),
    ...[`/ledger/statement?${account}`, `/ledger/entries?${account}&month=${month}`],
    `/ledger/account?account=sales&currency=GBP&${account}`,
    ...['/invite', `/users/${user.id}`, `/roles/${role.id}`, `/keys/${key.id}`].map(inSettings),
    ...[`/domains/${domain.id}`, '/users', '/roles', '/keys', '/domains'].map(inSettings),
  ];
}

function inSettings(path: string): string {
  return `/settings${path}`;
}
