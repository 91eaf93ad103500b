/** The gateway credentials of a merchant account: written, replaced and removed, and never shown. */
import { randomUUID } from 'node:crypto';
import { GatewayCredentials, type MerchantAccountView } from '@counterfoil/engine';
import { z } from 'zod';
import { Uuid } from '../../api/wire.ts';
import { refuse } from '../../http/errors.ts';
import { readInput } from '../../http/invalid-input.ts';
import { Before, compared, type Texts } from '../compared.ts';
import { SeenVersion } from '../fields.ts';
import { type ConsolePage, consoleForm, consolePage } from '../slice.ts';
import { textsOf } from './edit.ts';
import { FIELDS } from './fields.ts';
import { AccountParams, hrefOf, list, PATH, WRITE_SCOPE } from './list.ts';

type SecretName = keyof typeof GatewayCredentials.shape;
type Held = MerchantAccountView['currencies'][number];

export const SECRETS = [
  { name: 'apiKey', label: 'API key', type: 'password' },
  { name: 'username', label: 'User name', type: 'text' },
  { name: 'password', label: 'Password', type: 'password' },
  { name: 'emailAddress', label: 'Email', type: 'text' },
] as const satisfies readonly { name: SecretName; label: string; type: string }[];

const MASKED = /^\*+$/;
const MASK_ALONE = 'is masked, and no secret is kept that it could mean';

const Secret = GatewayCredentials.shape.apiKey;
const NewSecret = Secret.refine((given) => !MASKED.test(given), MASK_ALONE);
/** Of an account that has none yet. */
export const NewSecrets = z.object({
  apiKey: NewSecret,
  username: NewSecret,
  password: NewSecret,
  emailAddress: NewSecret,
});

/** The fields of one currency; without one, of a new account. A secret that is kept is masked. */
export function secretFields(held?: Held) {
  return SECRETS.map(({ name, label, type }) => ({
    name: held === undefined ? name : fieldOf(held, name),
    label,
    type,
    value: held?.gatewayCredentials[name] ?? '',
    // Browsers would fill in what they keep for this site.
    autocomplete: type === 'password' ? 'new-password' : 'off',
  }));
}

function fieldOf({ currency }: Held, name: SecretName): string {
  return `${name}-${currency}`;
}

/** What is kept, in words. */
export function keptSecrets({ gatewayCredentials }: Held): readonly string[] {
  return SECRETS.filter(({ name }) => gatewayCredentials[name] !== '').map(({ label }) => label);
}

/** Of the account all fields, and which secrets are kept. */
function comparedFields({ currencies }: MerchantAccountView) {
  const secrets = currencies.flatMap((held) =>
    SECRETS.map(({ name, label }) => ({
      name: fieldOf(held, name),
      label: `${label}, ${held.currency}`,
      shown: (kept: string) => (kept === '' ? 'None' : 'Kept'),
    })),
  );
  return [...FIELDS, ...secrets];
}

function stateOf(account: MerchantAccountView): Texts {
  const secrets = account.currencies.flatMap((held) =>
    SECRETS.map(({ name }) => [
      fieldOf(held, name),
      held.gatewayCredentials[name] === '' ? '' : 'kept',
    ]),
  );
  return { ...textsOf(account), ...Object.fromEntries(secrets) };
}

export const credentials: ConsolePage = consolePage({
  path: `${PATH}/{id}/credentials`,
  title: 'Gateway credentials',
  scope: WRITE_SCOPE,
  params: AccountParams,
  template: '/merchant-accounts/credentials',
  async load(visit, { params: { id }, again }) {
    const account = await visit.ledger.merchantAccounts.get(id);
    const now = stateOf(account);
    // What was typed is never shown: both sides are of what was kept.
    const { conflicts, before } = compared({
      fields: comparedFields(account),
      now,
      again,
      enteredOf: (_, seen) => seen,
    });
    const rowVersion = String(account.rowVersion);
    return {
      account,
      conflicts,
      isStale: again !== undefined && again.values['rowVersion'] !== rowVersion,
      problems: again?.problems,
      // What was typed is not sent back.
      isSecretLost: again !== undefined,
      groups: account.currencies.map((held) => ({
        title: held.currency,
        fields: secretFields(held),
      })),
      hidden: { key: randomUUID(), rowVersion, before },
      addresses: { list: visit.href(list.path), account: hrefOf(visit, id) },
    };
  },
});

export const replaceCredentials = consoleForm({
  name: 'replace-gateway-credentials',
  path: `${PATH}/{id}/credentials`,
  scope: WRITE_SCOPE,
  params: AccountParams,
  // The secrets are checked by the currencies of the account.
  body: z.object({ rowVersion: SeenVersion, before: Before, key: Uuid }).loose(),
  page: credentials,
  async act(
    visit,
    { params: { id }, body: { rowVersion, key: idempotencyKey, before: _, ...fields } },
  ) {
    const { merchantAccounts } = visit.ledger;
    const { currencies } = await merchantAccounts.get(id);
    const entered = enteredSecrets(currencies, fields);
    try {
      const patch = { currencies: entered };
      await merchantAccounts.amend(id, { patch, rowVersion, idempotencyKey });
    } catch (error) {
      const isStale = visit.services.refusalOf(error)?.code === 'stale_row_version';
      throw isStale ? staleCredentials() : error;
    }
    return { to: hrefOf(visit, id), notice: 'The credentials are as the form says.' };
  },
});

function staleCredentials() {
  return refuse(
    'stale_row_version',
    'Somebody else has changed the account or its credentials, and nothing was done. Look at what they changed, and enter yours again.',
  );
}

/** A masked secret means the one that is kept, an empty one none. */
function enteredSecrets(
  currencies: readonly Held[],
  fields: Readonly<Record<string, unknown>>,
): readonly Held[] {
  const shape = currencies.flatMap((held) =>
    SECRETS.map(({ name }): [string, typeof Secret] => [
      fieldOf(held, name),
      held.gatewayCredentials[name] === '' ? NewSecret : Secret,
    ]),
  );
  const { data, errors } = readInput(z.object(Object.fromEntries(shape)), fields, 'body');
  if (errors.length > 0) throw refuse('invalid_request', undefined, { errors });
  const secrets = data as Readonly<Record<string, string>>;
  return currencies.map((held) => ({
    currency: held.currency,
    gatewayCredentials: Object.fromEntries(
      SECRETS.map(({ name }) => [name, secrets[fieldOf(held, name)] ?? '']),
    ) as Held['gatewayCredentials'],
  }));
}
