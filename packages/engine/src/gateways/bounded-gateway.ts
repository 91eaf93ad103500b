/** Bounds the calls of an adapter: a timeout, a concurrency limit, and the form of its answers. */
import type { Attributes } from '@opentelemetry/api';
import { z } from 'zod';
import type { Logger } from '../logger.ts';
import { Refused, refused } from '../refusal.ts';
import { traced } from '../tracing.ts';
import { type CallCounts, noCalls } from './call-counts.ts';
import { CardScript } from './card-script.ts';
import { GATEWAY_ANSWERS } from './gateway-answers.ts';
import { gatewaySpan } from './gateway-span.ts';
import {
  type AccountContext,
  type CardToken,
  CredentialsRefused,
  type FollowUpOperation,
  type FollowUpRequest,
  GatewayTimeout,
  type PaymentGateway,
} from './payment-gateway.ts';
import type { RestingAccounts } from './resting-accounts.ts';

export interface GatewayBounds {
  /** After this time a call fails with `GatewayTimeout` and its signal is aborted. */
  readonly timeoutMs: number;
  /** Maximum concurrent calls. Further calls are refused before anything is sent. */
  readonly maxInFlight: number;
  readonly logger: Pick<Logger, 'error'>;
  /** Where the calls are counted. */
  readonly counts?: CallCounts;
  /** Where refused credentials are noted. */
  readonly rests?: RestingAccounts;
}

const { token, charge, followUp, notices } = GATEWAY_ANSWERS;

// Made once: a schema is compiled when it is first used.
const [foundToken, foundCharge, foundFollowUp] = [
  token.optional(),
  charge.optional(),
  followUp.optional(),
];
const NUMBER_HELD = z.never('must not hold the number of the card').safeParse(undefined);

type AnswerSchema<Answer> = Pick<z.ZodType<Answer>, 'safeParse'>;

/** The answer is recorded in events, so the card's number must not be in it. */
function tokenWithout(number: string): AnswerSchema<CardToken> {
  const holdsNumber = (given: CardToken) =>
    Object.values(given).some((each) => String(each).includes(number));
  return {
    safeParse(answer) {
      const parsed = token.safeParse(answer);
      return parsed.success && holdsNumber(parsed.data) ? NUMBER_HELD : parsed;
    },
  };
}

/** The signal is aborted on timeout. */
type Call = (signal: AbortSignal) => Promise<unknown>;

interface Named {
  readonly name: keyof PaymentGateway;
  readonly context: AccountContext;
}

/**
 * Wraps a gateway. Refuses with `GatewayBusy` beyond the limit, with `CredentialsRefused` what the gateway
 * refuses for the sake of the account, and with `GatewayFailed` when the adapter fails; the outcome of the
 * request is then unknown. So it is after an answer that is none, which ends as one that never came: the
 * money may have moved.
 */
export function boundedGateway(gateway: PaymentGateway, bounds: GatewayBounds): PaymentGateway {
  const { gatewayId, name } = gateway;
  const { timeoutMs, maxInFlight, logger, counts = noCalls(), rests } = bounds;

  /** Throws for what is no answer. The error has no value of it: a card number could be among them. */
  function checked<Answer>(schema: AnswerSchema<Answer>, answer: unknown): Answer {
    const parsed = schema.safeParse(answer);
    if (parsed.success) return parsed.data;
    const error = new GatewayTimeout(
      `${name} (gateway ${gatewayId}) gave no answer that can be used: ${z.prettifyError(parsed.error)}`,
    );
    logger.error({ err: error, gatewayId }, 'the gateway failed');
    throw error;
  }

  /** Rejects with `GatewayTimeout`, and then aborts the signal. */
  async function inTime(call: Call): Promise<unknown> {
    const ending = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const error = new GatewayTimeout(`${name} (gateway ${gatewayId}) did not answer in time`);
        // Reject before the abort: the adapter may answer the abort with its own error.
        reject(error);
        ending.abort(error);
      }, timeoutMs);
    });
    try {
      return await Promise.race([call(ending.signal), timeout]);
    } finally {
      clearTimeout(timer);
    }
  }

  function asked<Answer>(
    { name: callName, context }: Named,
    schema: AnswerSchema<Answer>,
    call: Call,
  ): Promise<Answer> {
    return traced(
      () => gatewaySpan(gateway, callName, context),
      async (span) => {
        const answer = await inTime(call);
        rests?.accepted(gatewayId, context, callName);
        const read = checked(schema, answer);
        span?.setAttributes(outcomeOf(read));
        return read;
      },
    );
  }

  async function bounded<Answer>(
    named: Named,
    schema: AnswerSchema<Answer>,
    call: Call,
  ): Promise<Answer> {
    const { name: callName, context } = named;
    counts.calls += 1;
    if (counts.inFlight >= maxInFlight) {
      counts.failed += 1;
      throw refused({ type: 'GatewayBusy', gatewayId });
    }
    counts.inFlight += 1;
    const begunMs = performance.now();
    try {
      return await asked(named, schema, call);
    } catch (error) {
      if (error instanceof GatewayTimeout) counts.unanswered += 1;
      else counts.failed += 1;
      if (error instanceof GatewayTimeout || error instanceof Refused) throw error;
      if (error instanceof CredentialsRefused) {
        rests?.refused(gatewayId, context, callName);
        const { merchantAccountId } = context.account;
        throw refused({ type: 'CredentialsRefused', gatewayId, merchantAccountId });
      }
      logger.error({ err: error, gatewayId }, 'the gateway failed');
      throw refused({ type: 'GatewayFailed', gatewayId });
    } finally {
      counts.inFlight -= 1;
      counts.tookMs += performance.now() - begunMs;
    }
  }

  /** A call that moves no money: a timeout leaves no unknown outcome. */
  async function looked<Answer>(
    named: Named,
    schema: AnswerSchema<Answer>,
    call: Call,
  ): Promise<Answer> {
    try {
      return await bounded(named, schema, call);
    } catch (error) {
      if (!(error instanceof GatewayTimeout)) throw error;
      throw refused({ type: 'GatewayFailed', gatewayId });
    }
  }

  const followsUp = (operation: FollowUpOperation, request: FollowUpRequest) =>
    bounded({ name: operation, context: request }, followUp, (signal) =>
      gateway[operation](request, signal),
    );

  return {
    gatewayId,
    name,
    ...(gateway.refusalOf && { refusalOf: (planned) => gateway.refusalOf?.(planned) }),
    ...(gateway.tokenScope && { tokenScope: (context) => gateway.tokenScope?.(context) ?? '' }),
    ...(gateway.adopt && {
      adopt: (given, context) =>
        looked({ name: 'adopt', context }, foundToken, async (signal) =>
          gateway.adopt?.(given, context, signal),
        ),
    }),
    ...(gateway.checkCredentials && {
      async checkCredentials(context) {
        await looked({ name: 'checkCredentials', context }, z.unknown(), async (signal) =>
          gateway.checkCredentials?.(context, signal),
        );
        rests?.checked(gatewayId, context);
      },
    }),
    ...(gateway.cardScriptOf && {
      cardScriptOf: (context) => CardScript.optional().parse(gateway.cardScriptOf?.(context)),
    }),
    tokenize: (card, fingerprint, context) =>
      looked({ name: 'tokenize', context }, tokenWithout(card.number), (signal) =>
        gateway.tokenize(card, fingerprint, context, signal),
      ),
    findToken: (given, context) =>
      looked({ name: 'findToken', context }, foundToken, (signal) =>
        gateway.findToken(given, context, signal),
      ),
    charge: (request) =>
      bounded({ name: 'charge', context: request }, charge, (signal) =>
        gateway.charge(request, signal),
      ),
    confirm: (request) =>
      bounded({ name: 'confirm', context: request }, charge, (signal) =>
        gateway.confirm(request, signal),
      ),
    capture: (request) => followsUp('capture', request),
    void: (request) => followsUp('void', request),
    refund: (request) => followsUp('refund', request),
    findCharge: (request) =>
      bounded({ name: 'findCharge', context: request }, foundCharge, (signal) =>
        gateway.findCharge(request, signal),
      ),
    findFollowUp: (operation, request) =>
      bounded({ name: 'findFollowUp', context: request }, foundFollowUp, (signal) =>
        gateway.findFollowUp(operation, request, signal),
      ),
    ...(gateway.noticesOf && {
      noticesOf: (id, context) =>
        looked({ name: 'noticesOf', context }, notices, async (signal) =>
          gateway.noticesOf?.(id, context, signal),
        ),
    }),
    async close() {
      try {
        await inTime(() => gateway.close());
      } catch (error) {
        // The stores are closed all the same.
        logger.error({ err: error, gatewayId }, 'the gateway could not be closed');
      }
    },
  };
}

/** Of answers that have one: a word of the ledger, never of the gateway. */
function outcomeOf(answer: unknown): Attributes {
  const isResult = typeof answer === 'object' && answer !== null && 'result' in answer;
  return isResult ? { 'counterfoil.outcome': String(answer.result) } : {};
}
