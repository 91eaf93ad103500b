/** Customers: listed, found, shown with what they paid and subscribed to, changed, and erased. */
import type { CustomersPage, CustomerView } from '@counterfoil/engine';
import { Id } from '@counterfoil/engine/input';
import { z } from 'zod';
import { cursorOf, inCursor } from '../../api/cursor.ts';
import { CustomerPlace } from '../../api/customers.ts';
import { bounded } from '../../api/wire.ts';
import { refuse } from '../../http/errors.ts';
import { Before, changedOnce, compared, type Texts } from '../compared.ts';
import { addressWith } from '../list-address.ts';
import { consoleForm, consolePage, consoleSlice, type Visit } from '../slice.ts';
import { rowOf } from '../subscriptions/find.ts';
import { shownAmountOf, shownStatusOf } from '../transactions/status.ts';
import { customerIdsByEmail } from './by-email.ts';

const PATH = '/customers';
const CUSTOMER_PATH = `${PATH}/{id}`;
const READ = 'customers:read';
const SHOWN_PAYMENTS = 10;
const SHOWN_SUBSCRIPTIONS = 20;
const SEARCHED = 100;
const PAGE_SIZE = 25;
const MAX_CURSOR = 1_000;
const MAX_WORDS = 320;

const CustomerParams = z.object({
  id: bounded(16).regex(/^\d+$/, 'must be a number').transform(Number).pipe(Id),
});

function hrefOf(visit: Visit, id: number, more = ''): string {
  return visit.href(`${PATH}/${id}${more}`);
}

const find = consolePage({
  path: PATH,
  title: 'Customers',
  scope: READ,
  query: z.object({
    q: bounded(MAX_WORDS).optional(),
    after: bounded(MAX_CURSOR).optional(),
  }),
  isList: true,
  template: '/customers/find',
  async load(visit, { query: { q = '', after } }) {
    const words = q.trim();
    const isAsked = words !== '';
    const { customers, moreResults, end } = isAsked
      ? await found(visit, words)
      : await listed(visit, after);
    const base = visit.href(PATH);
    return {
      q,
      isAsked,
      byEmail: visit.may('transactions:read'),
      customers: customers.map((customer) => ({
        ...customer,
        href: hrefOf(visit, customer.customerId),
      })),
      addresses: {
        find: base,
        first: isAsked || after === undefined ? undefined : base,
        next:
          moreResults && end !== undefined
            ? addressWith(base, { after: cursorOf(end) })
            : undefined,
      },
    };
  },
});

async function listed(visit: Visit, after: string | undefined): Promise<CustomersPage> {
  return visit.ledger.customers.list({
    limit: PAGE_SIZE,
    ...(after !== undefined && { after: inCursor(after, CustomerPlace) }),
  });
}

async function found(visit: Visit, words: string): Promise<CustomersPage> {
  const customers = await customersOf(visit, words);
  return { customers, moreResults: false, end: undefined };
}

/** By id, or by an email that they paid with. */
async function customersOf(visit: Visit, words: string): Promise<readonly CustomerView[]> {
  const { success, data } = CustomerParams.safeParse({ id: words });
  const ids = success ? [data.id] : await customerIdsByEmail(visit, words);
  const customers = await Promise.all(ids.map((id) => customerOrNone(visit, id)));
  return customers.filter((each) => each !== undefined);
}

async function customerOrNone(visit: Visit, id: number): Promise<CustomerView | undefined> {
  try {
    return await visit.ledger.customers.get(id);
  } catch (error) {
    if (visit.services.refusalOf(error)?.code === 'not_found') return undefined;
    throw error;
  }
}

const COMPARED = [
  { name: 'email', label: 'Email' },
  { name: 'firstName', label: 'First name' },
  { name: 'lastName', label: 'Last name' },
  { name: 'phone', label: 'Phone' },
];

function contactOf(given: Readonly<Record<string, unknown>>): Texts {
  return Object.fromEntries(COMPARED.map(({ name }) => [name, String(given[name] ?? '')]));
}

const REPLACE = 'replace-customer';

const show = consolePage({
  path: CUSTOMER_PATH,
  title: 'Customer',
  scope: READ,
  params: CustomerParams,
  template: '/customers/customer',
  async load(visit, { params: { id }, again }) {
    const customer = await visit.ledger.customers.get(id);
    const { email, firstName, lastName, phone, erasureRequestedAt } = customer;
    const name = `${firstName} ${lastName}`.trim();
    const isErased = erasureRequestedAt !== null;
    const { values, conflicts, before } = compared({
      fields: COMPARED,
      now: { email, firstName, lastName, phone },
      again: again?.name === REPLACE ? again : undefined,
      enteredOf: contactOf,
    });
    return {
      title: name || email || `Customer ${id}`,
      customer,
      name,
      isErased,
      fields: values,
      conflicts,
      hidden: { before },
      payments: await paymentsOf(visit, customer),
      subscriptions: await subscriptionsOf(visit, id),
      mayWrite: visit.may('customers:write') && !isErased,
      mayErase: visit.may('customers:erase') && !isErased,
      addresses: {
        find: visit.href(PATH),
        payments: `${visit.href('/transactions')}?${new URLSearchParams({ emails: email })}`,
        subscriptions: `${visit.href('/subscriptions')}?${new URLSearchParams({ q: String(id) })}`,
        replace: hrefOf(visit, id),
        erase: hrefOf(visit, id, '/erase'),
      },
    };
  },
});

/** Undefined: the roles do not allow to see them. */
async function paymentsOf(visit: Visit, { email, customerId }: CustomerView) {
  if (!visit.may('transactions:read')) return undefined;
  if (email === '') return [];
  const { transactions } = visit.ledger;
  const page = await transactions.search({ emails: [email], limit: SEARCHED });
  return page.transactions
    .filter((each) => each.customerId === customerId)
    .slice(0, SHOWN_PAYMENTS)
    .map((each) => ({
      ...each,
      amount: shownAmountOf(each),
      shownStatus: shownStatusOf(each),
      href: visit.href(`/transactions/${each.transactionId}`),
    }));
}

async function subscriptionsOf(visit: Visit, customerId: number) {
  if (!visit.may('subscriptions:read')) return undefined;
  const { subscriptions } = visit.ledger;
  const found = await subscriptions.ofCustomer(customerId, { limit: SHOWN_SUBSCRIPTIONS });
  return found.subscriptions.map((each) => rowOf(visit, each));
}

const replace = consoleForm({
  name: REPLACE,
  path: CUSTOMER_PATH,
  scope: 'customers:write',
  params: CustomerParams,
  body: z.object({
    email: bounded(320),
    firstName: bounded(200).optional(),
    lastName: bounded(200).optional(),
    phone: bounded(64).optional(),
    before: Before,
  }),
  page: show,
  async act(visit, { params: { id }, body: { before, ...contact } }) {
    const { customers } = visit.ledger;
    const { addresses, rowVersion, email, firstName, lastName, phone } = await customers.get(id);
    return changedOnce(visit, {
      fields: COMPARED,
      before,
      entered: contactOf(contact),
      now: { email, firstName, lastName, phone },
      what: 'customer',
      to: hrefOf(visit, id),
      // A replacement leaves nothing as it was: addresses are sent back.
      act: () => customers.replace(id, { ...contact, addresses: [...addresses], rowVersion }),
    });
  },
});

const askToErase = consolePage({
  path: `${CUSTOMER_PATH}/erase`,
  title: 'Erase the customer',
  scope: 'customers:erase',
  params: CustomerParams,
  template: '/customers/erase',
  async load(visit, { params: { id } }) {
    const { erasureRequestedAt } = await visit.ledger.customers.get(id);
    const isErased = erasureRequestedAt !== null;
    return { id, isErased, action: hrefOf(visit, id, '/erase'), back: hrefOf(visit, id) };
  },
});

const erase = consoleForm({
  name: 'erase-customer',
  path: `${CUSTOMER_PATH}/erase`,
  scope: 'customers:erase',
  params: CustomerParams,
  /** Typed again, so that nobody is erased by a slip. */
  body: z.object({ typed: bounded(16) }),
  page: askToErase,
  async act(visit, { params: { id }, body: { typed } }) {
    if (typed.trim() !== String(id)) {
      throw refuse('invalid_request', 'This is not the number of the customer', {
        errors: [{ pointer: '/typed', detail: 'This is not the number of the customer' }],
      });
    }
    await visit.ledger.customers.erase(id);
    const notice = `Customer ${id} is erased.`;
    return { to: visit.may(READ) ? hrefOf(visit, id) : visit.href('/overview'), notice };
  },
});

export const CUSTOMERS = consoleSlice({
  nav: { title: 'Customers', key: 'c', path: PATH, scope: READ },
  pages: [find, show, askToErase],
  forms: [replace, erase],
});
