/** The links at which customers authenticate the payment of a cycle that their bank wants them for. */
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { TenantId } from '@counterfoil/core';
import { z } from 'zod';
import type { Clock } from '../runtime/clock.ts';

export const AUTHENTICATION_PATH = '/mail/authenticate';

const LIFETIME_DAYS = 14;
const DAY_MS = 86_400_000;

const Named = z.tuple([z.int(), z.int(), z.int(), z.int()]);

/** A cycle of a subscription. */
export interface NamedCycle {
  readonly tenantId: TenantId;
  readonly subscriptionId: number;
  readonly cycle: number;
}

/** Tokens are signed and expire. They name no person, and are stored nowhere. */
export class AuthenticationLinks {
  readonly #key: KeyObject;
  readonly #base: string | undefined;
  readonly #clock: Clock;

  /** Without the public address of the host there are no links. */
  constructor(secret: Buffer, { base, clock }: { base: string | undefined; clock: Clock }) {
    this.#key = createSecretKey(secret);
    this.#base = base;
    this.#clock = clock;
  }

  /** Good for two weeks from now. */
  urlOf({ tenantId, subscriptionId, cycle }: NamedCycle): string | undefined {
    if (this.#base === undefined) return undefined;
    const expiresAtMs = Date.parse(this.#clock.now()) + LIFETIME_DAYS * DAY_MS;
    const named: z.input<typeof Named> = [tenantId, subscriptionId, cycle, expiresAtMs];
    const content = Buffer.from(JSON.stringify(named)).toString('base64url');
    return `${this.#base}${AUTHENTICATION_PATH}?token=${content}.${this.#macOf(content)}`;
  }

  /** What a token names; undefined for one that was not made here. */
  open(token: string): (NamedCycle & { readonly isExpired: boolean }) | undefined {
    const [content = '', mac = '', ...more] = token.split('.');
    if (more.length > 0) return undefined;
    const expected = Buffer.from(this.#macOf(content));
    const given = Buffer.from(mac);
    if (expected.length !== given.length || !timingSafeEqual(expected, given)) return undefined;
    const read = Named.parse(JSON.parse(Buffer.from(content, 'base64url').toString()));
    const [tenantId, subscriptionId, cycle, expiresAtMs] = read;
    const isExpired = Date.parse(this.#clock.now()) >= expiresAtMs;
    return { tenantId: tenantId as TenantId, subscriptionId, cycle, isExpired };
  }

  #macOf(content: string): string {
    return createHmac('sha256', this.#key).update(content).digest('base64url');
  }
}
