/** Caches answers within one turn of the event loop, for requests that arrive together. */

/**
 * Cleared at the end of the turn and at each news of the writer: a request that knows a position reads
 * at least up to it.
 */
export class TurnCache {
  readonly #news: () => unknown;
  readonly #answers = new Map<string, unknown>();
  readonly #endings: (() => void)[] = [];
  #lastNews: unknown;

  /** `news` returns another value after each message of the writer, such as the position it reached. */
  constructor(news: () => unknown) {
    this.#news = news;
  }

  /** The cached answer of this turn to a question; calls `ask` when there is none. */
  recall<Answer>(question: string, ask: () => Answer): Answer {
    const news = this.#news();
    if (news !== this.#lastNews) {
      this.#lastNews = news;
      this.#forget();
    }
    if (this.#answers.has(question)) return this.#answers.get(question) as Answer;
    if (this.#answers.size === 0) setImmediate(() => this.#forget());
    const answer = ask();
    this.#answers.set(question, answer);
    return answer;
  }

  /** Called once, when the cache is cleared. */
  onClear(end: () => void): void {
    this.#endings.push(end);
  }

  #forget(): void {
    this.#answers.clear();
    for (const end of this.#endings.splice(0)) end();
  }
}
