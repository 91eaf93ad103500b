/** A customer of the tests: who it is, what may be asked of it, and what may have happened to it. */
import { Customer, type TenantId, type Transaction } from '@counterfoil/core';

export const at = '2026-01-01T00:00:00.000Z';
export const LATER = '2026-02-01T00:00:00.000Z';
export const who = { sandbox: false, customerId: 601 };
export const named = { ...who, tenantId: 7 as TenantId, at };

export const address: Transaction.Address = {
  addressType: 'DEFAULT',
  email: 'ada@example.com',
  firstName: 'Ada',
  lastName: 'Lovelace',
  address: '12 St James’s Square',
  city: 'London',
  postalCode: 'SW1Y 4JH',
  state: '',
  countryCode: 'GB',
  phone: '',
};
export const contact: Customer.Contact = {
  email: 'ada@example.com',
  firstName: 'Ada',
  lastName: 'Lovelace',
  phone: '+44 20 7946 0000',
  addresses: [address],
};

export const methodId = (n: number): string =>
  `0192f000-0000-4000-8000-${String(n).padStart(12, '0')}`;
export const cardOf = (n: number, expYear = 2030): Transaction.Card => ({
  token: `tok_${n}_${expYear}`,
  fingerprint: `fingerprint-${n}`,
  bin: '424242',
  last4: '4242',
  brandId: 1,
  expMonth: 12,
  expYear,
  binCountry: 'GB',
});

type Of<Type extends Customer.Command['type']> = Partial<Extract<Customer.Command, { type: Type }>>;
export const ask = {
  register: (changes: Of<'RegisterCustomer'> = {}): Customer.Command => ({
    type: 'RegisterCustomer',
    ...named,
    ...contact,
    ...changes,
  }),
  purchase: (n: number | null, changes: Of<'RecordPurchase'> = {}): Customer.Command => ({
    type: 'RecordPurchase',
    ...named,
    ...contact,
    card: n === null ? null : cardOf(n),
    paymentMethodId: methodId(n ?? 0),
    orderedAt: changes.at ?? at,
    ...changes,
  }),
  reserve: (email: string, rowVersion = 1): Customer.Command => ({
    type: 'ReserveEmail',
    ...named,
    email,
    rowVersion,
  }),
  replace: (rowVersion: number, changes: Of<'ReplaceCustomer'> = {}): Customer.Command => ({
    type: 'ReplaceCustomer',
    ...named,
    ...contact,
    rowVersion,
    ...changes,
  }),
  add: (n: number, changes: Of<'AddPaymentMethod'> = {}): Customer.Command => ({
    type: 'AddPaymentMethod',
    ...named,
    paymentMethodId: methodId(n),
    card: cardOf(n),
    makeDefault: false,
    ...changes,
  }),
  remove: (n: number): Customer.Command => ({
    type: 'RemovePaymentMethod',
    ...named,
    paymentMethodId: methodId(n),
  }),
  erase: (): Customer.Command => ({ type: 'RequestErasure', ...named }),
  recordErasure: (): Customer.Command => ({ type: 'RecordErasure', ...named }),
};

export const registered: Customer.Event = { type: 'CustomerRegistered', ...who, ...contact, at };
export const reserved = (email: string): Customer.Event => ({
  type: 'EmailReserved',
  ...who,
  email,
  at,
});
export const replaced = (changes: Partial<Customer.Contact> = {}): Customer.Event => ({
  type: 'CustomerReplaced',
  ...who,
  ...contact,
  ...changes,
  at: LATER,
});
export const added = (
  n: number,
  { isDefault = false, card = cardOf(n) as Transaction.Card | null } = {},
): Customer.Event => ({
  type: 'PaymentMethodAdded',
  ...who,
  paymentMethodId: methodId(n),
  card,
  isDefault,
  at,
});
export const removed = (n: number, { evicted = false } = {}): Customer.Event => ({
  type: 'PaymentMethodRemoved',
  ...who,
  paymentMethodId: methodId(n),
  evicted,
  at,
});
export const erasureRequested: Customer.Event = { type: 'CustomerErasureRequested', ...who, at };
export const erased: Customer.Event = { type: 'CustomerErased', ...who, at };

const upTo = (count: number): Customer.Event[] =>
  Array.from({ length: count }, (_, index) => added(index + 1, { isDefault: index === 0 }));
export const full = [registered, ...upTo(Customer.MAX_PAYMENT_METHODS)];
export const manyEmails = [
  registered,
  ...Array.from({ length: Customer.MAX_EMAILS - 1 }, (_, n) => reserved(`ada${n}@example.com`)),
];
