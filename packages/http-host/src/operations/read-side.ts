/** Makes a tenant's reads see its own writes. */
import type { Position, TenantId } from '@counterfoil/core';
import type { Progress } from '@counterfoil/projections';
import { LRUCache } from 'lru-cache';
import { refuse } from '../http/errors.ts';

/** Longer than the read models are ever behind in sound operation. */
const WAIT_MS = 5_000;
/** A tenant that falls out of memory has not written for long, and its writes have long arrived. */
const MAX_TENANTS = 100_000;

/** Asks for the last position of the log. */
type HeadOf = () => Promise<Position | undefined>;

export class ReadSide {
  readonly #progress: Progress;
  readonly #acknowledged = new LRUCache<number, Position>({ max: MAX_TENANTS });
  /** What tenants were told of before this process began lies before it. */
  readonly #headAtStart: Position | undefined;
  /** Given where other hosts write too: what a tenant was told by one of them lies before the head. */
  readonly #headNow: HeadOf | undefined;

  constructor(progress: Progress, headAtStart: Position | undefined, headOf?: HeadOf) {
    this.#progress = progress;
    this.#headAtStart = headAtStart;
    this.#headNow = headOf && shared(headOf);
  }

  /** A tenant was told that its events up to this position are kept. */
  acknowledge(tenantId: TenantId, position: Position): void {
    const before = this.#acknowledged.get(tenantId);
    if (before === undefined || before < position) this.#acknowledged.set(tenantId, position);
  }

  /** Waits until what the tenant was told of can be read; refuses when that takes too long. */
  async caughtUp(tenantId: number): Promise<void> {
    const told = this.#acknowledged.get(tenantId) ?? this.#headAtStart;
    const position = later(told, await this.#headNow?.());
    if (position === undefined) return;
    if (await this.#progress.reached(position, { timeoutMs: WAIT_MS })) return;
    throw refuse('overloaded', 'The read models are behind; repeat in a moment', {
      headers: { 'Retry-After': '1' },
    });
  }
}

function later(one: Position | undefined, other: Position | undefined): Position | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one < other ? other : one;
}

/**
 * Those who ask while a question is under way share the next one: the answer under way may be of a
 * moment before they came.
 */
function shared<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let underWay: Promise<unknown> | undefined;
  let next: Promise<Answer> | undefined;
  const begin = () => {
    const asked = ask();
    underWay = asked.then(
      () => undefined,
      () => undefined,
    );
    const mine = underWay;
    void mine.then(() => {
      if (underWay === mine) underWay = undefined;
    });
    return asked;
  };
  return () => {
    if (underWay === undefined) return begin();
    next ??= underWay.then(() => {
      next = undefined;
      return begin();
    });
    return next;
  };
}
