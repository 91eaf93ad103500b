/** `expand`: ids in an answer replaced by their objects, as deep as asked for. */
import { invalidRequest } from './refusal.ts';
import type { AccountState } from './state.ts';

const MAX_DEPTH = 4;

/** @param answer - A copy, which is changed. */
export function expandAll(
  state: AccountState,
  answer: Record<string, unknown>,
  paths: readonly string[],
): void {
  for (const path of paths) {
    const keys = path.split('.');
    if (keys.length > MAX_DEPTH) {
      throw invalidRequest(`You cannot expand more than ${MAX_DEPTH} levels`, { param: 'expand' });
    }
    expand(state, answer, keys, path);
  }
}

function expand(
  state: AccountState,
  at: Record<string, unknown>,
  keys: readonly string[],
  path: string,
): void {
  const [key = '', ...rest] = keys;
  const value = at[key];
  if (Array.isArray(value)) {
    for (const each of value as Record<string, unknown>[]) expand(state, each, rest, path);
    return;
  }
  if (value === null) return;
  let object: unknown = value;
  if (typeof value === 'string') {
    const found = state.objectOf(value);
    object = found && JSON.parse(JSON.stringify(found));
    at[key] = object;
  }
  if (typeof object !== 'object' || object === null) {
    throw invalidRequest(`This property cannot be expanded (${path}).`, { param: 'expand' });
  }
  if (rest.length > 0) expand(state, object as Record<string, unknown>, rest, path);
}
