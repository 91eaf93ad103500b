/** The pause before a batch is read: what gathers meanwhile is written for less, and nobody waits for it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Position } from '@counterfoil/core';
import { isAtLeast } from './shards.ts';

export class Gathering {
  readonly #pauseMs: number;
  /** The furthest position that anybody waits for. */
  #wanted: Position | undefined;
  #read: Position | undefined;
  #pause = new AbortController();

  constructor(pauseMs: number) {
    this.#pauseMs = pauseMs;
  }

  /** Somebody waits for this position: there is no pause until it was read. */
  hurry(position: Position): void {
    if (isAtLeast(this.#wanted, position)) return;
    this.#wanted = position;
    if (!isAtLeast(this.#read, position)) this.#pause.abort();
  }

  /** To be awaited when everything up to `read` was. Ends early when it is wanted or the signal fires. */
  async pause(read: Position, signal: AbortSignal): Promise<void> {
    this.#read = read;
    if (this.#pauseMs === 0 || !isAtLeast(read, this.#wanted)) return;
    this.#pause = new AbortController();
    const either = AbortSignal.any([signal, this.#pause.signal]);
    await sleep(this.#pauseMs, undefined, { signal: either }).catch(() => undefined);
  }
}
