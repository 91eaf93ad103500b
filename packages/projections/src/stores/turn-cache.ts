/** What a reader remembers within one turn of the event loop: requests that came together ask once. */

/**
 * Never older than the turn, nor than the writer's last word: whoever was told of a position in this
 * very turn reads what led there.
 */
export class TurnMemory {
  readonly #told: () => unknown;
  readonly #answers = new Map<string, unknown>();
  readonly #endings: (() => void)[] = [];
  #toldBefore: unknown;

  /** `told` answers otherwise after every word of the writer, such as the position that it reached. */
  constructor(told: () => unknown) {
    this.#told = told;
  }

  /** The answer of this turn to a question; `ask` is called when there is none yet. */
  recall<Answer>(question: string, ask: () => Answer): Answer {
    const told = this.#told();
    if (told !== this.#toldBefore) {
      this.#toldBefore = told;
      this.#forget();
    }
    if (this.#answers.has(question)) return this.#answers.get(question) as Answer;
    if (this.#answers.size === 0) setImmediate(() => this.#forget());
    const answer = ask();
    this.#answers.set(question, answer);
    return answer;
  }

  /** Called once, when what is remembered now is forgotten. */
  whenForgotten(end: () => void): void {
    this.#endings.push(end);
  }

  #forget(): void {
    this.#answers.clear();
    for (const end of this.#endings.splice(0)) end();
  }
}
