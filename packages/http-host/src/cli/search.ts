/** `counterfoil search`: the transaction search of the interface. */
import type { TenantId } from '@counterfoil/core';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { searchFilters } from '../api/search-request.ts';
import { type Address, withAddress, withHost } from './host-ways.ts';
import { type Session, tenantIdOf, wholeNumber } from './session.ts';

const Found = z.looseObject({
  transactionId: z.string(),
  originalTransactionId: z.string(),
  orderId: z.number(),
  sent: z.string(),
  application2: z.string(),
  status: z.string(),
  amount: z.number(),
  currency: z.string(),
  last4: z.string(),
  email: z.string(),
});
export type Found = z.output<typeof Found>;

/** The answer of a search. */
export const FoundPage = z.object({
  count: z.int(),
  pageNumber: z.int(),
  moreResults: z.boolean(),
  transactions: z.array(Found),
});

type FilterName = keyof typeof searchFilters;
type Given = Readonly<Record<string, unknown>> & Address;

/** Values of a list are separated by commas. */
export function addSearchCommand(program: Command, session: Session): void {
  const search = program
    .command('search')
    .description(
      'Search transactions, the newest first; without a filter those of the last 30 days',
    )
    .argument('<tenant-id>', 'the id of the parent company', tenantIdOf);
  for (const name of Object.keys(searchFilters) as FilterName[]) search.addOption(optionOf(name));
  search
    .option('--limit <count>', 'transactions of a page, at most 100 (default: 10)', wholeNumber)
    .option('--page-number <number>', 'the first page is 1', wholeNumber);
  withAddress(search).action((tenantId: TenantId, options: Given) =>
    searchFor(session, tenantId, options),
  );
}

function optionOf(name: FilterName): Option {
  const filter: z.ZodType = searchFilters[name].unwrap();
  const { description = titleOf(name) } = searchFilters[name].meta() ?? {};
  const flag = `--${name.replaceAll(/[A-Z]/g, (part) => `-${part.toLowerCase()}`)}`;
  if (filter instanceof z.ZodBoolean) return new Option(flag, 'test data instead of live data');
  if (!(filter instanceof z.ZodArray)) return new Option(`${flag} <text>`, description);
  const isNumber = filter.element instanceof z.ZodNumber;
  const option = new Option(
    `${flag} <list>`,
    `${description.replace(/\.$/, '')}; separated by commas`,
  );
  return option.argParser((text) => (isNumber ? textsOf(text).map(numberOf) : textsOf(text)));
}

/** `gatewayTransactionIds` as words. */
function titleOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function textsOf(text: string): readonly string[] {
  return text.split(',').map((each) => each.trim());
}

function numberOf(text: string): number {
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new InvalidArgumentError('must be numbers, separated by commas');
}

async function searchFor(session: Session, tenantId: TenantId, options: Given): Promise<void> {
  const { url, keyFile, user, json: _, ...json } = options;
  const address = { ...(url && { url }), ...(keyFile && { keyFile }), ...(user && { user }) };
  await withHost(
    session,
    address,
    async (host) => {
      const path = '/api/transactions/search';
      const page = await host.ask(FoundPage, { method: 'POST', path, tenantId, json });
      session.print(page, (console) => {
        if (page.count === 0) console.log('No transaction matches');
        else console.table(page.transactions.map(rowOf));
        if (page.moreResults) console.log(`There are more: --page-number ${page.pageNumber + 1}`);
      });
    },
    { readModels: true },
  );
}

function rowOf(found: Found) {
  const { sent, transactionId, orderId, application2, status, amount, currency } = found;
  const card = found.last4 === '' ? '' : `…${found.last4}`;
  const { email } = found;
  return {
    sent,
    transactionId,
    orderId,
    application: application2,
    status,
    amount,
    currency,
    card,
    email,
  };
}
