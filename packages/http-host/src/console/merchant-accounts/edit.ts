/** All settings of a merchant account in a form, and what becomes of it where somebody else was faster. */
import type { MerchantAccountView } from '@counterfoil/engine';
import { z } from 'zod';
import { bounded } from '../../api/wire.ts';
import { refuse } from '../../http/errors.ts';
import { SeenVersion } from '../fields.ts';
import { type ConsolePage, consoleForm, consolePage } from '../slice.ts';
import { enteredOf, settingOf, type Texts } from './entered.ts';
import { FIELDS, type Field, fieldText, GROUPS } from './fields.ts';
import { knownIds, optionsOf } from './known-ids.ts';
import { AccountParams, hrefOf, list, PATH, WRITE_SCOPE } from './list.ts';

const FORM = 'change-merchant-account';
/** Of all fields as they were shown. */
const MAX_BEFORE = 100_000;

function textsOf(account: MerchantAccountView): Texts {
  return Object.fromEntries(FIELDS.map((field) => [field.name, fieldText(account, field)]));
}

/** The fields as the page showed them: sent back, so that only what the user changed is changed. */
const Before = bounded(MAX_BEFORE).transform((text, { addIssue }) => {
  try {
    return z.record(z.string(), z.string()).parse(JSON.parse(text));
  } catch {
    addIssue('must be the fields as they were shown');
    return z.NEVER;
  }
});

function changedIn(entered: Texts, before: Texts): readonly Field[] {
  return FIELDS.filter(({ name }) => entered[name] !== before[name]);
}

export const edit: ConsolePage = consolePage({
  path: `${PATH}/{id}/edit`,
  title: 'Change the merchant account',
  scope: WRITE_SCOPE,
  params: AccountParams,
  template: '/merchant-accounts/edit',
  async load(visit, { params: { id }, again }) {
    const account = await visit.ledger.merchantAccounts.get(id);
    const now = textsOf(account);
    const known = await knownIds(visit);
    const { success, data: before = now } = Before.safeParse(again?.values['before']);
    const entered = again === undefined || !success ? now : enteredOf(again.values);
    const isStale =
      again !== undefined && again.values['rowVersion'] !== String(account.rowVersion);
    const mine = new Set(changedIn(entered, before).map(({ name }) => name));
    return {
      account,
      problems: again?.problems,
      // What the user did not touch is shown as it is now.
      groups: GROUPS.map(({ title, fields }) => ({
        title,
        fields: fields.map((field) => ({
          ...field,
          value: mine.has(field.name) ? entered[field.name] : now[field.name],
          ...optionsOf(known, field.name),
        })),
      })),
      conflicts: isStale
        ? changedIn(now, before).map(({ name, label }) => ({
            label,
            before: before[name],
            now: now[name],
            mine: mine.has(name) ? entered[name] : undefined,
          }))
        : [],
      hidden: { rowVersion: String(account.rowVersion), before: JSON.stringify(now) },
      addresses: { list: visit.href(list.path), account: hrefOf(visit, id) },
    };
  },
});

export const change = consoleForm({
  name: FORM,
  path: `${PATH}/{id}/edit`,
  scope: WRITE_SCOPE,
  params: AccountParams,
  // The fields are checked by what is made of them.
  body: z.object({ rowVersion: SeenVersion, before: Before }).loose(),
  page: edit,
  async act(visit, { params: { id }, body: { rowVersion, before, ...fields } }) {
    const { merchantAccounts } = visit.ledger;
    const entered = enteredOf(fields);
    const changes = changedIn(entered, before);
    const account = await merchantAccounts.get(id);
    const now = textsOf(account);
    const to = hrefOf(visit, id);
    // A form that was sent before finds its changes made.
    if (changes.every(({ name }) => entered[name] === now[name])) {
      return { to, notice: 'The account is as the form says.' };
    }
    if (account.rowVersion !== rowVersion) {
      throw refuse(
        'stale_row_version',
        'Somebody else has changed the account, and nothing was done. Your changes stand in the form: look at theirs, and save again.',
      );
    }
    const patch = Object.fromEntries(
      changes.map((field) => [field.name, settingOf(field, entered[field.name] ?? '')]),
    );
    await merchantAccounts.amend(id, { patch, rowVersion });
    return { to, notice: 'The account is changed.' };
  },
});
