/** Customers. */
import type Stripe from 'stripe';
import { addressOf, addressParam } from './address.ts';
import { emptyable, metadata, text } from './params.ts';
import { attach, paymentMethodOf } from './payment-methods.ts';
import { type Route, route } from './route.ts';
import type { AccountState } from './state.ts';

export const customerRoutes: readonly Route[] = [
  route(
    'POST',
    '/v1/customers',
    {
      address: addressParam,
      description: emptyable(text),
      email: emptyable(text),
      metadata,
      name: emptyable(text),
      payment_method: text,
      phone: emptyable(text),
    },
    ({ state }, params) => {
      const customer: Stripe.Customer = {
        id: state.id('cus'),
        object: 'customer',
        address: params.address == null ? null : addressOf(params.address),
        balance: 0,
        created: state.now(),
        currency: null,
        default_source: null,
        delinquent: false,
        description: params.description ?? null,
        discount: null,
        email: params.email ?? null,
        invoice_prefix: state.id('inv').slice(-8).toUpperCase(),
        invoice_settings: {
          custom_fields: null,
          default_payment_method: null,
          footer: null,
          rendering_options: null,
        },
        livemode: state.livemode,
        metadata: params.metadata ?? {},
        name: params.name ?? null,
        next_invoice_sequence: 1,
        phone: params.phone ?? null,
        preferred_locales: [],
        shipping: null,
        tax_exempt: 'none',
        test_clock: null,
      };
      state.customers.add(customer);
      if (params.payment_method !== undefined) {
        const method = paymentMethodOf(state, params.payment_method, 'payment_method');
        try {
          attach(state, method, customer.id);
        } catch (refusal) {
          state.customers.delete(customer.id);
          throw refusal;
        }
      }
      state.emit('customer.created', customer);
      return customer;
    },
  ),
  route('GET', '/v1/customers/{customer}', {}, ({ state, id }) =>
    state.deletedCustomers.has(id) ? deleted(id) : state.customers.get(id, 'id'),
  ),
  route('DELETE', '/v1/customers/{customer}', {}, ({ state, id }) => {
    const customer = state.customers.get(id, 'id');
    state.customers.delete(id);
    state.deletedCustomers.add(id);
    for (const method of state.paymentMethods.newestFirst()) {
      if (method.customer === id) detach(state, method);
    }
    state.emit('customer.deleted', customer);
    return deleted(id);
  }),
];

function detach(state: AccountState, method: Stripe.PaymentMethod): void {
  method.customer = null;
  state.cardOf(method.id).spent = true;
}

function deleted(id: string): Stripe.DeletedCustomer {
  return { id, object: 'customer', deleted: true };
}
