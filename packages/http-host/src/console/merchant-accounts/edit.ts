/** All settings of a merchant account in a form, and what becomes of it where somebody else was faster. */
import type { MerchantAccountView } from '@counterfoil/engine';
import { z } from 'zod';
import { Before, changedOnce, compared, type Texts } from '../compared.ts';
import { type ConsolePage, consoleForm, consolePage } from '../slice.ts';
import { enteredOf, settingOf } from './entered.ts';
import { FIELDS, fieldText, GROUPS } from './fields.ts';
import { knownIds, optionsOf } from './known-ids.ts';
import { AccountParams, hrefOf, list, PATH, WRITE_SCOPE } from './list.ts';

export function textsOf(account: MerchantAccountView): Texts {
  return Object.fromEntries(FIELDS.map((field) => [field.name, fieldText(account, field)]));
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
    const { values, conflicts, before } = compared({ fields: FIELDS, now, again, enteredOf });
    return {
      account,
      problems: again?.problems,
      groups: GROUPS.map(({ title, fields }) => ({
        title,
        fields: fields.map((field) => ({
          ...field,
          value: values[field.name],
          ...optionsOf(known, field.name),
        })),
      })),
      conflicts,
      hidden: { before },
      addresses: { list: visit.href(list.path), account: hrefOf(visit, id) },
    };
  },
});

export const change = consoleForm({
  name: 'change-merchant-account',
  path: `${PATH}/{id}/edit`,
  scope: WRITE_SCOPE,
  params: AccountParams,
  // The fields are checked by what is made of them.
  body: z.object({ before: Before }).loose(),
  page: edit,
  async act(visit, { params: { id }, body: { before, ...fields } }) {
    const { merchantAccounts } = visit.ledger;
    const account = await merchantAccounts.get(id);
    const entered = enteredOf(fields);
    return changedOnce(visit, {
      fields: FIELDS,
      before,
      entered,
      now: textsOf(account),
      what: 'account',
      to: hrefOf(visit, id),
      act(changes) {
        const patch = Object.fromEntries(
          changes.map((field) => [field.name, settingOf(field, entered[field.name] ?? '')]),
        );
        return merchantAccounts.amend(id, { patch, rowVersion: account.rowVersion });
      },
    });
  },
});
