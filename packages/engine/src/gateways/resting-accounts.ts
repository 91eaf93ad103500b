/** Merchant accounts whose credentials a gateway refuses: they rest, and are tried again with growing waits. */
import { createHash } from 'node:crypto';
import type { Logger } from '../logger.ts';
import type { MetricsRegistry } from '../metrics-registry.ts';
import type { Clock } from '../runtime/clock.ts';
import { waitAfter } from '../runtime/growing-wait.ts';
import type { AccountContext } from './gateway-account.ts';

const RESTS = { firstMs: 60_000, longestMs: 3_600_000 };

interface Rest {
  readonly gatewayId: number;
  /** The call that was refused: its next success ends the rest. */
  readonly call: string;
  readonly times: number;
  readonly untilMs: number;
  /** The credentials were accepted since, in a call that moves nothing. */
  isChecked: boolean;
}

export interface RestingOptions {
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
}

/**
 * Of this process: after a restart every account is tried. Accounts are known by their credentials, so that
 * changed ones are tried at once.
 */
export class RestingAccounts {
  readonly #options: RestingOptions;
  readonly #rests = new Map<string, Rest>();

  constructor(options: RestingOptions) {
    this.#options = options;
  }

  /** None of the gateway was refused since its last success. */
  isNone(gatewayId: number): boolean {
    return ![...this.#rests.values()].some((rest) => rest.gatewayId === gatewayId);
  }

  isResting(gatewayId: number, context: AccountContext): boolean {
    const rest = this.#rests.get(nameOf(gatewayId, context));
    return rest !== undefined && this.#isOn(rest);
  }

  /** It was refused, has rested, and its credentials have not been checked since. */
  isToBeChecked(gatewayId: number, context: AccountContext): boolean {
    const rest = this.#rests.get(nameOf(gatewayId, context));
    return rest !== undefined && !rest.isChecked && !this.#isOn(rest);
  }

  /** Calls that were under way together count as one refusal. */
  refused(gatewayId: number, context: AccountContext, call: string): void {
    const name = nameOf(gatewayId, context);
    const before = this.#rests.get(name);
    if (before !== undefined && this.#isOn(before)) return;
    const times = (before?.times ?? 0) + 1;
    const untilMs = this.#nowMs() + waitAfter(times, RESTS);
    const { call: first = call } = before ?? {};
    this.#rests.set(name, { gatewayId, call: first, times, untilMs, isChecked: false });
    if (before !== undefined) return;
    const { merchantAccountId } = context.account;
    this.#options.logger.warn(
      { gatewayId, merchantAccountId, sandbox: context.sandbox, call },
      'the gateway refuses the credentials of a merchant account: it rests',
    );
  }

  checked(gatewayId: number, context: AccountContext): void {
    const rest = this.#rests.get(nameOf(gatewayId, context));
    if (rest !== undefined) rest.isChecked = true;
  }

  accepted(gatewayId: number, context: AccountContext, call: string): void {
    // Nearly always: names take time to make.
    if (this.#rests.size === 0) return;
    const name = nameOf(gatewayId, context);
    if (this.#rests.get(name)?.call !== call) return;
    this.#rests.delete(name);
    const { merchantAccountId } = context.account;
    this.#options.logger.info(
      { gatewayId, merchantAccountId, sandbox: context.sandbox },
      'the gateway accepts the credentials of a merchant account again',
    );
  }

  countAt(gatewayId: number): number {
    const rests = [...this.#rests.values()];
    return rests.filter((rest) => rest.gatewayId === gatewayId && this.#isOn(rest)).length;
  }

  /** A rest that is longer than any was set before the clock was set back. */
  #isOn({ untilMs }: Rest): boolean {
    const leftMs = untilMs - this.#nowMs();
    return leftMs > 0 && leftMs <= RESTS.longestMs;
  }

  #nowMs(): number {
    return Date.parse(this.#options.clock.now());
  }
}

/** No credential is kept in the clear. */
function nameOf(gatewayId: number, { account, sandbox }: AccountContext): string {
  const { apiKey, username, password, emailAddress } = account.credentials;
  const parts = [gatewayId, sandbox, apiKey, username, password, emailAddress];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}

export function registerRestMetrics(
  metrics: MetricsRegistry,
  gateways: readonly { readonly gatewayId: number; readonly name: string }[],
  rests: RestingAccounts,
): void {
  metrics.gauges<number>({
    label: 'gateway',
    names: {
      gateway_credentials_refused: {
        help: 'Credentials of merchant accounts that rest, since the gateway refused them',
        of: (count) => count,
      },
    },
    look: async () =>
      new Map(gateways.map(({ gatewayId, name }) => [name, rests.countAt(gatewayId)])),
  });
}
