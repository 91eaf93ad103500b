/** OpenTelemetry spans, for a process that has registered a tracer provider; without one nothing is done. */
import {
  type Attributes,
  type Context,
  context,
  isSpanContextValid,
  ProxyTracer,
  ROOT_CONTEXT,
  type Span,
  type SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { Refused } from './refusal.ts';

const TRACER = 'counterfoil';

/** Attributes are ids, codes and counts: never a text that a caller entered, nor the id of a person. */
export interface Operation {
  readonly name: string;
  /** Default: internal. */
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
  /** Default: the active context. */
  readonly parent?: Context;
}

export function isTracing(): boolean {
  return findTracer() !== undefined;
}

/** Runs work in a span. Without a tracer `operation` is not called; `span` is only there if it is recorded. */
export function traced<Answer>(
  operation: () => Operation,
  work: (span?: Span) => Promise<Answer>,
): Promise<Answer> {
  const tracer = findTracer();
  if (tracer === undefined) return work();
  const { name, parent = context.active(), ...options } = operation();
  const span = tracer.startSpan(name, options, parent);
  return context.with(trace.setSpan(parent, span), () => endedAfter(span, work));
}

/** Marks what the span stands for as failed. `type` is a code or the name of a class. */
export function markFailed(span: Span, type: string): void {
  span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR });
}

/** Runs work outside of every span: what is started by it and goes on belongs to none. */
export function untraced<Answer>(work: () => Answer): Answer {
  return context.with(ROOT_CONTEXT, work);
}

/** For log lines: the ids of the active span. */
export function activeTrace(): { readonly traceId: string; readonly spanId: string } | undefined {
  const active = trace.getActiveSpan()?.spanContext();
  if (active === undefined || !isSpanContextValid(active)) return undefined;
  const { traceId, spanId } = active;
  return { traceId, spanId };
}

/** Without a provider, the API answers with a proxy that waits for one. */
function findTracer(): Tracer | undefined {
  const tracer = trace.getTracer(TRACER);
  return tracer instanceof ProxyTracer ? undefined : tracer;
}

async function endedAfter<Answer>(
  span: Span,
  work: (span?: Span) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await work(span.isRecording() ? span : undefined);
  } catch (error) {
    noteError(span, error);
    throw error;
  } finally {
    span.end();
  }
}

/** Without its message, which may quote what was entered. */
function noteError(span: Span, error: unknown): void {
  if (error instanceof Refused) {
    span.setAttribute('counterfoil.refusal', error.code);
    if (!error.isTransient) return;
  }
  markFailed(span, error instanceof Error ? error.constructor.name : 'unknown');
}
