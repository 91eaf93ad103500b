/** Forms of what others may change at the same time: nothing of theirs is replaced that the user has not seen. */
import { z } from 'zod';
import { bounded } from '../api/wire.ts';
import { type Refusal, refuse } from '../http/errors.ts';
import type { Again, Outcome, Visit } from './slice.ts';

/** The fields of a form by their names, each as a text. */
export type Texts = Readonly<Record<string, string>>;

export interface ComparedField {
  readonly name: string;
  readonly label: string;
  /** How its text is shown beside others. Default: as it is. */
  readonly shown?: (text: string) => string;
}

/** Of all fields as they were shown. */
const MAX_BEFORE = 100_000;

/** The fields as the page showed them: sent back, so that only what the user changed is changed. */
export const Before = bounded(MAX_BEFORE).transform((text, { addIssue }) => {
  try {
    return z.record(z.string(), z.string()).parse(JSON.parse(text));
  } catch {
    addIssue('must be the fields as they were shown');
    return z.NEVER;
  }
});

/** Several that were chosen, in one text, whatever their order. */
export function chosenText(chosen: string | readonly string[] | undefined): string {
  return [chosen ?? []].flat().toSorted().join(' ');
}

export function chosenIn(text: string): string[] {
  return text.split(' ').filter(Boolean);
}

/** Browsers send the ends of lines as CR LF. */
export function withUnixLines(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

export function changedIn<Field extends ComparedField>(
  fields: readonly Field[],
  { entered, before }: { readonly entered: Texts; readonly before: Texts },
): readonly Field[] {
  return fields.filter(({ name }) => (entered[name] ?? '') !== (before[name] ?? ''));
}

interface ShownAgain {
  readonly fields: readonly ComparedField[];
  readonly now: Texts;
  /** Of this form. */
  readonly again: Again | undefined;
  readonly enteredOf: (values: Again['values'], before: Texts) => Texts;
}

/** What a form shows: what the user typed, else what is so now; and what somebody else changed meanwhile. */
export function compared({ fields, now, again, enteredOf }: ShownAgain) {
  const seen = Before.safeParse(again?.values['before']).data;
  const before = seen ?? now;
  const entered = again === undefined ? now : enteredOf(again.values, before);
  const mine = new Set(changedIn(fields, { entered, before }).map(({ name }) => name));
  const theirs = changedIn(fields, { entered: now, before });
  return {
    values: Object.fromEntries(
      fields.map(({ name }) => [name, (mine.has(name) ? entered[name] : now[name]) ?? '']),
    ),
    conflicts: theirs.map((field) =>
      conflictOf(field, { before, now, mine: mine.has(field.name) ? entered : undefined }),
    ),
    before: JSON.stringify(now),
  };
}

interface Versions {
  readonly before: Texts;
  readonly now: Texts;
  /** Undefined: the user left the field as it was. */
  readonly mine: Texts | undefined;
}

function conflictOf(
  { name, label, shown = (text) => text }: ComparedField,
  { before, now, mine }: Versions,
) {
  const of = (texts: Texts) => shown(texts[name] ?? '');
  return { label, before: of(before), now: of(now), mine: mine && of(mine) };
}

interface Change<Field> {
  readonly fields: readonly Field[];
  readonly before: Texts;
  readonly entered: Texts;
  readonly now: Texts;
  /** In what is said: `user`. */
  readonly what: string;
  /** Where it leads. */
  readonly to: string;
  /** Default: `The user is changed.` */
  readonly notice?: string;
  /** A step before it; undefined where there is none. */
  readonly ask?: (changes: readonly Field[]) => Outcome | undefined;
  /** Refuses another version than that of `now`. */
  readonly act: (changes: readonly Field[]) => Promise<unknown>;
}

/** Makes the changes once, and only to what the page showed. */
export async function changedOnce<Field extends ComparedField>(
  { services }: Visit,
  { fields, before, entered, now, what, to, ask, act, notice }: Change<Field>,
): Promise<Outcome> {
  const changes = changedIn(fields, { entered, before });
  // A form that was sent before finds its changes made.
  if (changedIn(fields, { entered, before: now }).length === 0) {
    return { to, notice: `The ${what} is as the form says.` };
  }
  if (changedIn(fields, { entered: now, before }).length > 0) throw staleForm(what);
  const asked = ask?.(changes);
  if (asked !== undefined) return asked;
  try {
    await act(changes);
  } catch (error) {
    if (services.refusalOf(error)?.code === 'stale_row_version') throw staleForm(what);
    throw error;
  }
  return { to, notice: notice ?? `The ${what} is changed.` };
}

function staleForm(what: string): Refusal {
  return refuse(
    'stale_row_version',
    `Somebody else has changed the ${what}, and nothing was done. Your changes stand in the form: look at theirs, and save again.`,
  );
}
