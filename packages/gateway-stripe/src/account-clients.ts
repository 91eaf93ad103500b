/** The client of each account, from the credentials that come with a call. */
import type { AccountContext } from '@counterfoil/engine/gateways';
import type Stripe from 'stripe';
import { Clients, scopeOf } from './client.ts';
import { CredentialsUnusable, credentialsOf, type StripeCredentials } from './credentials.ts';

export class AccountClients {
  readonly #clients = new Clients();
  readonly #production: boolean;

  constructor({ production }: { readonly production: boolean }) {
    this.#production = production;
  }

  /** Throws `CredentialsUnusable`, as the next. */
  credentialsOf(context: AccountContext): StripeCredentials {
    return credentialsOf(context, { production: this.#production });
  }

  of(context: AccountContext): Stripe {
    return this.#clients.of(this.credentialsOf(context));
  }

  /** Undefined where they cannot be used. */
  usable(context: AccountContext): StripeCredentials | undefined {
    try {
      return this.credentialsOf(context);
    } catch (error) {
      if (error instanceof CredentialsUnusable) return undefined;
      throw error;
    }
  }

  /** Undefined for an account that cannot be asked. */
  scopeOf(context: AccountContext): string | undefined {
    const credentials = this.usable(context);
    return credentials && scopeOf(credentials);
  }
}
