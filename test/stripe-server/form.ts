/** Form-encoded bodies and queries as Stripe takes them: `card[number]=…`, `expand[]=…`, `expand[0]=…`. */
import { invalidRequest } from './refusal.ts';

export type FormValue = string | FormObject;
/** Lists are objects whose keys are their positions. */
export interface FormObject {
  [key: string]: FormValue;
}

const MAX_DEPTH = 8;

export function decodeForm(text: string): FormObject {
  const form = emptyForm();
  for (const [name, value] of new URLSearchParams(text)) put(form, keysOf(name), value);
  return form;
}

export function emptyForm(): FormObject {
  // Without a prototype, so that no name of a parameter meets one of Object's.
  return Object.create(null) as FormObject;
}

/** `a[b][]` as `['a', 'b', '']`. */
export function keysOf(name: string): readonly string[] {
  const open = name.indexOf('[');
  if (open < 1 || !name.endsWith(']')) return [name];
  return [name.slice(0, open), ...name.slice(open + 1, -1).split('][')];
}

export function put(form: FormObject, keys: readonly string[], value: string): void {
  if (keys.length > MAX_DEPTH) throw invalidRequest('Parameters are nested too deeply');
  let at = form;
  for (const [depth, key] of keys.entries()) {
    const name = key === '' ? String(Object.keys(at).length) : key;
    if (depth === keys.length - 1) {
      at[name] = value;
      return;
    }
    const next = at[name];
    if (typeof next === 'string')
      throw invalidRequest(`Invalid ${keys[0]}`, { param: keys[0] ?? '' });
    at[name] = next ?? emptyForm();
    at = at[name];
  }
}

/** The parameters in one order, to compare those of two requests. */
export function canonical(form: FormObject): string {
  return JSON.stringify(form, (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
