/** A tracer provider for the tests of one file, with what it has recorded. */
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { vi } from 'vitest';

const POLLING = { timeout: 10_000, interval: 5 };

/** Registers what an embedder registers. Undo it with `end`: it is global. */
export function recordSpans() {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  return {
    all: () => exporter.getFinishedSpans(),
    /** The first span of a name, once it has ended: a request does after its answer was read. */
    ended: (name: string): Promise<ReadableSpan> =>
      vi.waitUntil(() => exporter.getFinishedSpans().find((span) => span.name === name), POLLING),
    forget: () => exporter.reset(),
    /** Works in a span of the embedder. */
    within: <Answer>(name: string, work: () => Promise<Answer>): Promise<Answer> =>
      trace.getTracer('embedder').startActiveSpan(name, async (span) => {
        try {
          return await work();
        } finally {
          span.end();
        }
      }),
    async end(): Promise<void> {
      trace.disable();
      context.disable();
      propagation.disable();
      await provider.shutdown();
    },
  };
}

export type Recorded = ReturnType<typeof recordSpans>;

/** The names of a span and of those below it in the order of their beginning, indented by their depth. */
export function treeOf(spans: readonly ReadableSpan[], root: ReadableSpan, depth = 0): string[] {
  const { spanId } = root.spanContext();
  const children = spans.filter(({ parentSpanContext }) => parentSpanContext?.spanId === spanId);
  const below = children.toSorted(byBeginning).flatMap((child) => treeOf(spans, child, depth + 1));
  return [`${'  '.repeat(depth)}${root.name}`, ...below];
}

function byBeginning({ startTime: one }: ReadableSpan, { startTime: other }: ReadableSpan): number {
  return one[0] - other[0] || one[1] - other[1];
}

/** Everything that an exporter may send of the spans. */
export function textOf(spans: readonly ReadableSpan[]): string {
  const sent = spans.map((span) => {
    const { name, attributes, status, events, links, resource } = span;
    const traceState = span.spanContext().traceState?.serialize();
    return { name, attributes, status, events, links, resource: resource.attributes, traceState };
  });
  return JSON.stringify(sent);
}
