/** The customers of one tenant, for one caller. */
import { type Customer, isEmail, type Subject } from '@counterfoil/core';
import { type Acting, sandboxOf } from '../acting.ts';
import type { Erasure } from '../erasure/index.ts';
import { idOfKey } from '../idempotency-key.ts';
import type { CallInputs } from '../input/checked-calls.ts';
import { definedOf } from '../input/defined.ts';
import { Id, text } from '../input/texts.ts';
import { instrumentOf } from '../payments/index.ts';
import { refused } from '../refusal.ts';
import type { Clock } from '../runtime/clock.ts';
import { Environment, PaymentMethod, Registration, Replacement } from './customer-input.ts';
import type { Customers } from './customers.ts';

interface CustomerParts {
  readonly customers: Customers;
  readonly erasure: Erasure;
  readonly clock: Clock;
}

export class TenantCustomers {
  readonly #customers: Customers;
  readonly #erasure: Erasure;
  readonly #clock: Clock;
  readonly #acting: Acting;

  constructor({ customers, erasure, clock }: CustomerParts, acting: Acting) {
    this.#customers = customers;
    this.#erasure = erasure;
    this.#clock = clock;
    this.#acting = acting;
  }

  /** Refuses with `CustomerUnknown`. */
  async get(customerId: number, environment: Environment = {}): Promise<Customer.Customer> {
    return this.#customers.get(this.#subject(customerId, environment));
  }

  /** Refuses with `EmailTaken`. */
  async register({
    idempotencyKey: key,
    sandbox,
    ...contact
  }: Registration): Promise<Customer.Customer> {
    const { tenantId, caller } = this.#acting;
    return this.#customers.register(
      {
        tenantId,
        sandbox: sandboxOf(this.#acting, sandbox),
        requestId: idOfKey(this.#acting, 'createCustomer', { key }),
        content: contact,
        contact: contactOf(contact),
      },
      caller,
    );
  }

  /** Replaces the contact data. Refuses with `StaleRowVersion` after a concurrent change. */
  async replace(
    customerId: number,
    { rowVersion, sandbox, ...contact }: Replacement,
  ): Promise<Customer.Customer> {
    const named = this.#subject(customerId, { sandbox });
    const replacement = { rowVersion, contact: contactOf(contact) };
    return this.#customers.replace(named, replacement, this.#acting.caller);
  }

  /** Resolves when the personal data is unreadable. Amounts and books are kept. */
  async erase(customerId: number, environment: Environment = {}): Promise<Customer.Customer> {
    return this.#erasure.erase(this.#subject(customerId, environment), this.#acting.caller);
  }

  /** Stores a card. A known card keeps its id. */
  async addPaymentMethod(
    customerId: number,
    given: PaymentMethod,
  ): Promise<{ readonly paymentMethodId: string; readonly token: string }> {
    const { idempotencyKey: key, card, token, makeDefault = false, companyId } = given;
    const named = this.#subject(customerId, given);
    const { method } = await this.#customers.addPaymentMethod(
      named,
      {
        paymentMethodId: idOfKey(this.#acting, 'addPaymentMethod', {
          key,
          actsOn: [String(customerId)],
        }),
        content: [token, card?.number.slice(-4), card?.expMonth, card?.expYear, makeDefault],
        instrument: () => instrumentOf({ card, token }, this.#clock.now()),
        makeDefault,
        ...(companyId !== undefined && { companyId }),
      },
      this.#acting.caller,
    );
    const { paymentMethodId } = method;
    return { paymentMethodId, token: this.#customers.tokenOf(named, method) };
  }

  async removePaymentMethod(
    customerId: number,
    paymentMethodId: string,
    environment: Environment = {},
  ): Promise<Customer.Customer> {
    const named = this.#subject(customerId, environment);
    return this.#customers.removePaymentMethod(named, paymentMethodId, this.#acting.caller);
  }

  #subject(customerId: number, { sandbox }: Environment): Subject {
    const { tenantId } = this.#acting;
    return { tenantId, sandbox: sandboxOf(this.#acting, sandbox), customerId };
  }
}

function contactOf({ email, ...given }: Omit<Registration, 'sandbox'>): Customer.Contact {
  if (!isEmail(email)) throw refused({ type: 'EmailInvalid' });
  return { email, firstName: '', lastName: '', phone: '', addresses: [], ...definedOf(given) };
}

export const CUSTOMER_INPUTS: CallInputs<TenantCustomers> = {
  get: [Id, Environment.optional()],
  register: [Registration],
  replace: [Id, Replacement],
  erase: [Id, Environment.optional()],
  addPaymentMethod: [Id, PaymentMethod],
  removePaymentMethod: [Id, text(255), Environment.optional()],
};
