/** The calls of a ledger's callers: counted while they are under way, refused once it closes. */
import { refusalOf } from './failures.ts';
import { Refused, refused } from './refusal.ts';

export class Calls {
  readonly #underWay = new Set<Promise<unknown>>();
  #isOpen = true;
  #isCutOff = false;

  /** The same object, with its asynchronous methods counted: those of these names, by default all. */
  counted<Slice extends object>(slice: Slice, names?: readonly string[]): Slice {
    return new Proxy(slice, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function' || name in Object.prototype) return member;
        // Private fields are those of the target.
        if (names?.includes(String(name)) === false) return member.bind(target);
        return (...given: unknown[]) => this.run(() => member.apply(target, given));
      },
    });
  }

  /** Throws `Refused` for failures of stores too, and with `LedgerClosed` once the ledger closes. */
  async run<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    if (!this.#isOpen) throw refused({ type: 'LedgerClosed', begun: false });
    const answer = call();
    this.#underWay.add(answer);
    try {
      return await answer;
    } catch (error) {
      const isAnswer = error instanceof Refused || !this.#isCutOff;
      if (!isAnswer) throw refused({ type: 'LedgerClosed', begun: true });
      throw refusalOf(error) ?? error;
    } finally {
      this.#underWay.delete(answer);
    }
  }

  /** Refuses new calls, and waits for those under way; returns how many have not ended in time. */
  async end(timeoutMs: number): Promise<number> {
    this.#isOpen = false;
    const { promise: tooLate, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, timeoutMs);
    await Promise.race([Promise.allSettled(this.#underWay), tooLate]);
    clearTimeout(timer);
    this.#isCutOff = true;
    return this.#underWay.size;
  }
}
