/** Endpoints that show and advance the test clock. Not available in production. */

import { MAX_MOVE_SECONDS, type RefusalCode, type TestClock } from '@counterfoil/engine';
import { z } from 'zod';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { At } from './answer-fields.ts';
import { apiSlice, type RefusalOf, type Row, rows } from './slice.ts';
import { eitherOf, Instant } from './wire.ts';

const TAG = 'Operations';
const PATH = '/v1/test/clock';
const ACCESS = { kind: 'api-key', scope: 'clock:write', requiresUserEmail: false } as const;

const SECOND_MS = 1_000;

const MoveInput = z
  .object({
    advanceSeconds: z.int().min(0).max(MAX_MOVE_SECONDS).optional().meta({
      description: 'So far ahead of what the clock shows when the move begins',
    }),
    now: Instant.optional().meta({
      description: 'The instant to move to: not past, and at most ten years ahead',
    }),
  })
  .refine(({ advanceSeconds, now }) => (advanceSeconds === undefined) !== (now === undefined), {
    message: 'must have exactly one of advanceSeconds and now',
  })
  .meta({
    id: 'ClockMoveInput',
    description: 'Either `advanceSeconds` or `now`',
    ...eitherOf('advanceSeconds', 'now'),
  });

const ClockBody = z
  .object({
    success: z.literal(true),
    now: At.meta({ description: 'What the clock shows: ISO 8601, GMT' }),
    aheadSeconds: z.number().meta({ description: "How far it is ahead of the system's clock" }),
    movingTo: At.nullable().meta({ description: 'Where a move under way leads' }),
  })
  .meta({ id: 'TestClock' });

const UnfinishedWork = z
  .object({
    work: z.string().meta({ description: 'The kind of work' }),
    dueAt: At.meta({ description: 'When it was due: ISO 8601, GMT' }),
  })
  .meta({ id: 'UnfinishedWork' });

const MovedBody = z
  .object({
    success: z.literal(true),
    now: At.meta({ description: 'What the clock shows: ISO 8601, GMT' }),
    steps: z.int().meta({
      description: 'How often the clock stood still until what was due had been done',
    }),
    unfinished: z
      .array(UnfinishedWork)
      .meta({ description: 'Kinds of work that are due, were tried, and could not be done yet' }),
  })
  .meta({ id: 'TestClockMoved' });

function testClockEndpoints(clock: TestClock): Endpoint[] {
  return [readClock(clock), moveClock(clock)];
}

function readClock(clock: TestClock): Endpoint {
  return endpoint({
    operationId: 'getTestClock',
    method: 'GET',
    path: PATH,
    tag: TAG,
    summary: 'Read the test clock',
    description: 'What time it is for everything that waits. Served with `TEST_CLOCK=1` only.',
    access: ACCESS,
    responses: { 200: { description: 'The clock', schema: ClockBody } },
    rejections: [],
    idempotency: 'none',
    async handle() {
      const { aheadMs, movingTo = null } = clock;
      const aheadSeconds = aheadMs / SECOND_MS;
      return { status: 200, body: { success: true, now: clock.now(), aheadSeconds, movingTo } };
    },
  });
}

function moveClock(clock: TestClock): Endpoint {
  return endpoint({
    operationId: 'moveTestClock',
    action: 'clock.move',
    method: 'POST',
    path: PATH,
    tag: TAG,
    summary: 'Move the test clock',
    description:
      'Moves the clock of the host ahead, for all tenants, and answers when everything that became due on the way has been done. Moves go on when their caller has gone, and come one after the other. Served with `TEST_CLOCK=1` only.',
    access: ACCESS,
    body: MoveInput,
    responses: { 200: { description: 'The clock stands there now', schema: MovedBody } },
    rejections: ['invalid_request', 'overloaded'],
    idempotency: 'money',
    async handle(_context, { body: { advanceSeconds, now } }) {
      const moved = await clock.move(
        now === undefined ? { byMs: (advanceSeconds ?? 0) * SECOND_MS } : { toMs: Date.parse(now) },
      );
      return { status: 200, body: { success: true, ...moved } };
    },
  });
}

const REFUSALS = rows({
  ClockCannotGoBack: atNow(({ now }) => `The clock only goes forward, and it is ${now}`),
  ClockMoveTooLong: atNow(
    ({ now, maxYears }) => `The clock moves at most ${maxYears} years at once, and it is ${now}`,
  ),
  ClockBeyondEnd: atNow(({ end }) => `The clock goes no further than ${end}`),
  ClockHeldUp: {
    code: 'overloaded',
    text: ({ reason, now }) => `${reason}; the test clock stands at ${now}`,
  },
});

function atNow<Code extends RefusalCode>(
  detailOf: (facts: RefusalOf<Code>) => string,
): Row<RefusalOf<Code>> {
  return {
    code: 'invalid_request',
    text: detailOf,
    errors: (facts) => [{ pointer: '/now', detail: detailOf(facts) }],
  };
}

export const TEST_CLOCK = apiSlice(
  ({ testClock }: { readonly testClock: TestClock | undefined }) =>
    testClock === undefined ? [] : testClockEndpoints(testClock),
  REFUSALS,
);
