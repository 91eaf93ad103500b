/** The client of each account, from the credentials that come with a call. */
import type { AccountContext } from '@counterfoil/engine/gateways';
import type Stripe from 'stripe';
import { Clients, scopeOf } from './client.ts';
import { CredentialsUnusable, credentialsOf, type StripeCredentials } from './credentials.ts';

type Given = AccountContext['account']['credentials'];

export class AccountClients {
  readonly #clients = new Clients();
  readonly #production: boolean;
  /** A payment reads them several times, and is given the same object for as long as they are the same. */
  readonly #read = {
    live: new WeakMap<Given, StripeCredentials>(),
    sandbox: new WeakMap<Given, StripeCredentials>(),
  };

  constructor({ production }: { readonly production: boolean }) {
    this.#production = production;
  }

  /** Throws `CredentialsUnusable`, as the next. */
  credentialsOf(context: AccountContext): StripeCredentials {
    const read = this.#read[context.sandbox ? 'sandbox' : 'live'];
    const given = context.account.credentials;
    let credentials = read.get(given);
    if (credentials === undefined) {
      credentials = credentialsOf(context, { production: this.#production });
      read.set(given, credentials);
    }
    return credentials;
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
