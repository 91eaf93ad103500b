/** The customers of one tenant, for one caller. */
import { type Customer, isEmail, type Subject } from '@counterfoil/core';
import type { CustomerListView, RegisteredCustomer } from '@counterfoil/projections';
import { type Acting, sandboxOf } from '../acting.ts';
import type { Erasure } from '../erasure/index.ts';
import { idOfKey } from '../idempotency-key.ts';
import type { CallInputs } from '../input/checked-calls.ts';
import { Id, text } from '../input/texts.ts';
import { addressOf, instrumentOf, withoutSecrets } from '../payments/index.ts';
import { named, nothing, type RecordedCalls } from '../recorded-calls.ts';
import { refused } from '../refusal.ts';
import type { Clock } from '../runtime/clock.ts';
import type { ReadSide } from '../runtime/read-side.ts';
import {
  type Contact,
  CustomerList,
  Environment,
  MAX_LIMIT,
  PaymentMethod,
  Registration,
  Replacement,
} from './customer-input.ts';
import type { Customers } from './customers.ts';

/** A customer, each of whose payment methods has its token. */
export interface CustomerView extends Customer.Customer {
  readonly paymentMethods: readonly (Customer.PaymentMethod & { readonly token: string })[];
}

export interface AddedPaymentMethod {
  readonly paymentMethodId: string;
  readonly token: string;
  readonly customer: CustomerView;
}

export interface CustomersPage {
  readonly customers: readonly CustomerView[];
  readonly moreResults: boolean;
  /** The place of the last one. */
  readonly end: RegisteredCustomer | undefined;
}

interface CustomerParts {
  readonly customers: Customers;
  readonly customerList: CustomerListView;
  readonly readSide: ReadSide;
  readonly erasure: Erasure;
  readonly clock: Clock;
}

export class TenantCustomers {
  readonly #customers: Customers;
  readonly #list: CustomerListView;
  readonly #readSide: ReadSide;
  readonly #erasure: Erasure;
  readonly #clock: Clock;
  readonly #acting: Acting;

  constructor(parts: CustomerParts, acting: Acting) {
    const { customers, customerList, readSide, erasure, clock } = parts;
    this.#customers = customers;
    this.#list = customerList;
    this.#readSide = readSide;
    this.#erasure = erasure;
    this.#clock = clock;
    this.#acting = acting;
  }

  /** Refuses with `CustomerUnknown`. */
  async get(customerId: number, environment: Environment = {}): Promise<CustomerView> {
    return this.#view(await this.#customers.get(this.#subject(customerId, environment)));
  }

  /**
   * A page of all who are registered, newest first, each as `get` returns them; who cannot be read is left
   * out. Shows one's own writes.
   */
  async list({ sandbox, limit = MAX_LIMIT, after }: CustomerList = {}): Promise<CustomersPage> {
    const { tenantId } = this.#acting;
    const owner = { tenantId, sandbox: sandboxOf(this.#acting, sandbox) };
    await this.#readSide.caughtUp(tenantId);
    const from = after === undefined ? {} : { after };
    // One extra row tells whether there are more.
    const found = await this.#list.list({ ...owner, ...from, limit: limit + 1 });
    const page = found.slice(0, limit);
    const customers = await this.#customers.all(
      page.map(({ customerId }) => ({ ...owner, customerId })),
    );
    return {
      customers: customers.map((each) => this.#view(each)),
      moreResults: found.length > limit,
      end: page.at(-1),
    };
  }

  /** Refuses with `EmailTaken`. */
  async register({ idempotencyKey: key, sandbox, ...given }: Registration): Promise<CustomerView> {
    const { tenantId, caller } = this.#acting;
    const contact = contactOf(given);
    const registration = {
      tenantId,
      sandbox: sandboxOf(this.#acting, sandbox),
      requestId: idOfKey(this.#acting, 'createCustomer', { key }),
      content: contact,
      contact,
    };
    return this.#view(await this.#customers.register(registration, caller));
  }

  /** Replaces the contact data. Refuses with `StaleRowVersion` after a concurrent change. */
  async replace(
    customerId: number,
    { rowVersion, sandbox, ...given }: Replacement,
  ): Promise<CustomerView> {
    const named = this.#subject(customerId, { sandbox });
    const replacement = { rowVersion, contact: contactOf(given) };
    return this.#view(await this.#customers.replace(named, replacement, this.#acting.caller));
  }

  /** Resolves when the personal data is unreadable. Amounts and books are kept. */
  async erase(customerId: number, environment: Environment = {}): Promise<CustomerView> {
    const named = this.#subject(customerId, environment);
    // A customer who has just paid can be erased at once, even before registration.
    await this.#customers.get(named);
    return this.#view(await this.#erasure.erase(named, this.#acting.caller));
  }

  /** Stores a card. A known card keeps its id. */
  async addPaymentMethod(customerId: number, given: PaymentMethod): Promise<AddedPaymentMethod> {
    const { idempotencyKey: key, sandbox, makeDefault = false, ...asked } = given;
    const { customer, method } = await this.#customers.addPaymentMethod(
      this.#subject(customerId, { sandbox }),
      {
        paymentMethodId: idOfKey(this.#acting, 'addPaymentMethod', {
          key,
          actsOn: [String(customerId)],
        }),
        content: [withoutSecrets(asked), makeDefault],
        instrument: () => instrumentOf(asked, this.#clock.now()),
        makeDefault,
        ...(asked.companyId !== undefined && { companyId: asked.companyId }),
      },
      this.#acting.caller,
    );
    const { paymentMethodId } = method;
    const view = this.#view(customer);
    const token = this.#customers.tokenOf(this.#owner(customer), method);
    return { paymentMethodId, token, customer: view };
  }

  async removePaymentMethod(
    customerId: number,
    paymentMethodId: string,
    environment: Environment = {},
  ): Promise<CustomerView> {
    const named = this.#subject(customerId, environment);
    const { caller } = this.#acting;
    return this.#view(await this.#customers.removePaymentMethod(named, paymentMethodId, caller));
  }

  #view(customer: Customer.Customer): CustomerView {
    const owner = this.#owner(customer);
    return {
      ...customer,
      paymentMethods: customer.paymentMethods.map((each) => ({
        ...each,
        token: this.#customers.tokenOf(owner, each),
      })),
    };
  }

  #owner({ sandbox, customerId }: Customer.Customer): Subject {
    return { tenantId: this.#acting.tenantId, sandbox, customerId };
  }

  #subject(customerId: number, { sandbox }: Environment): Subject {
    const { tenantId } = this.#acting;
    return { tenantId, sandbox: sandboxOf(this.#acting, sandbox), customerId };
  }
}

function contactOf({ email, addresses = [], ...given }: Contact): Customer.Contact {
  if (!isEmail(email)) throw refused({ type: 'EmailInvalid' });
  const { firstName = '', lastName = '', phone = '' } = given;
  const placed = addresses.map((each) => addressOf(each, email));
  return { email, firstName, lastName, phone, addresses: placed };
}

export const CUSTOMER_INPUTS: CallInputs<TenantCustomers> = {
  get: [Id, Environment.optional()],
  list: [CustomerList.optional()],
  register: [Registration],
  replace: [Id, Replacement],
  erase: [Id, Environment.optional()],
  addPaymentMethod: [Id, PaymentMethod],
  removePaymentMethod: [Id, text(255), Environment.optional()],
};

export const CUSTOMER_CALLS: RecordedCalls<TenantCustomers> = {
  get: named,
  list: nothing,
  register: (_, customer) => (customer as CustomerView | undefined)?.customerId,
  replace: named,
  erase: named,
  addPaymentMethod: named,
  removePaymentMethod: named,
};
