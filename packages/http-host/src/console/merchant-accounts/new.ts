/** Opening a merchant account: the fields of the editing page, and the credentials of its gateway. */
import { randomUUID } from 'node:crypto';
import type { TenantLedger } from '@counterfoil/engine';
import { Uuid } from '../../api/wire.ts';
import type { Texts } from '../compared.ts';
import { type ConsolePage, consoleForm, consolePage } from '../slice.ts';
import { NewSecrets, SECRETS, secretFields } from './credentials.ts';
import { currenciesIn, enteredOf, settingOf } from './entered.ts';
import { FIELDS, GROUPS } from './fields.ts';
import { type KnownIds, knownIds, optionsOf } from './known-ids.ts';
import { hrefOf, list, NEW_PATH, WRITE_SCOPE } from './list.ts';

type Opening = Parameters<TenantLedger['merchantAccounts']['open']>[0];

/** Named under their fields. */

/** After the currencies. */
const CREDENTIALS_PLACE = 2;
const NOTE =
  'For all its currencies; those of one currency are replaced once it is open. They are kept encrypted, and never shown again.';

/** What is set unless the form says otherwise. */
const DEFAULTS: Texts = { enabledNetworkA: 'yes', enabledNetworkB: 'yes' };

export const opening: ConsolePage = consolePage({
  path: NEW_PATH,
  title: 'New merchant account',
  scope: WRITE_SCOPE,
  template: '/merchant-accounts/new',
  async load(visit, { again }) {
    const known = await knownIds(visit);
    const entered =
      again === undefined ? { ...DEFAULTS, ...onlyOf(known) } : enteredOf(again.values);
    const isSecretLost = SECRETS.some(({ name }) => (again?.values[name] ?? '') !== '');
    const groups = GROUPS.map(({ title, fields }) => ({
      title,
      fields: fields.map((field) => ({
        ...field,
        value: entered[field.name] ?? '',
        ...(field.name === 'currencies' && { hint: 'Separated by commas' }),
        ...optionsOf(known, field.name),
      })),
    }));
    return {
      problems: again?.problems,
      groups: [
        ...groups.slice(0, CREDENTIALS_PLACE),
        { title: 'Gateway credentials', note: NOTE, fields: secretFields() },
        ...groups.slice(CREDENTIALS_PLACE),
      ],
      // What was typed into these fields is not sent back.
      isSecretLost,
      hidden: { key: String(again?.values['key'] ?? randomUUID()) },
      addresses: { list: visit.href(list.path), action: visit.href(NEW_PATH) },
    };
  },
});

/** Where there is but one, it is meant. */
function onlyOf(known: KnownIds): Texts {
  const only = Object.entries(known).filter(([, each]) => each.length === 1);
  return Object.fromEntries(only.map(([field, [each]]) => [field, String(each?.id)]));
}

export const open = consoleForm({
  name: 'open-merchant-account',
  path: NEW_PATH,
  scope: WRITE_SCOPE,
  // The other fields are checked by what is made of them.
  body: NewSecrets.extend({
    /** Idempotency key, made with the page: the same form opens one account. */
    key: Uuid,
  }).loose(),
  page: opening,
  async act(visit, { body: { key: idempotencyKey, ...fields } }) {
    const entered = enteredOf(fields);
    const given = FIELDS.filter(({ name, kind }) => kind === 'switch' || entered[name] !== '');
    const gatewayCredentials = Object.fromEntries(SECRETS.map(({ name }) => [name, fields[name]]));
    const { id } = await visit.ledger.merchantAccounts.open({
      ...(Object.fromEntries(
        given.map((field) => [field.name, settingOf(field, entered[field.name] ?? '')]),
        // The ledger checks it.
      ) as Opening),
      currencies: currenciesIn(entered['currencies'] ?? '').map((currency) => ({
        currency,
        gatewayCredentials,
      })),
      idempotencyKey,
    });
    return { to: hrefOf(visit, id), notice: 'The merchant account is open.' };
  },
});
