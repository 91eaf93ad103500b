/** Which calls of a ledger's part activity records, and what each is about. */
import type { CallInputs } from './input/checked-calls.ts';

/** The id that a call is about, from its arguments and, once it is done, its answer. */
export type SubjectOf = (given: readonly unknown[], answer: unknown) => unknown;

/** The commands of a part, and the reads that are recorded. */
export type RecordedCalls<Calls> = { readonly [Name in keyof CallInputs<Calls>]?: SubjectOf };

/** The first argument. */
export const named: SubjectOf = ([id]) => id;

/** What the call made. */
export const made: SubjectOf = (_, answer) => (answer as { readonly id?: unknown } | undefined)?.id;

/** The tenant as a whole, or what a person entered. */
export const nothing: SubjectOf = () => undefined;

export interface RecordedCall<Answer = unknown> {
  readonly name: string;
  readonly subject: (answer?: unknown) => unknown;
  run(): Promise<Answer>;
}

/** The same part, whose recorded calls are run by `run`. Calls within the part are not. */
export function observedCalls<Part extends object>(
  part: Part,
  recorded: Readonly<Record<string, SubjectOf | undefined>>,
  run: (call: RecordedCall) => Promise<unknown>,
): Part {
  return new Proxy(part, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function' || name in Object.prototype) return member;
      const subjectOf = Object.hasOwn(recorded, name) ? recorded[String(name)] : undefined;
      // Private fields are those of the target.
      if (subjectOf === undefined) return member.bind(target);
      return (...given: unknown[]) =>
        run({
          name: String(name),
          subject: (answer) => subjectOf(given, answer),
          run: () => member.apply(target, given),
        });
    },
  });
}
