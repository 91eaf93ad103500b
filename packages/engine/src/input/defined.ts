/** Absent members may also be given as undefined; further down they are absent. */

/** The members of these names, by default all, that are not undefined. */
export function definedOf<Given extends object, Name extends keyof Given = keyof Given>(
  given: Given,
  names: readonly Name[] = Object.keys(given) as Name[],
): { [Each in keyof Pick<Given, Name>]: Exclude<Given[Each], undefined> } {
  const entries = names
    .map((name) => [name, given[name]])
    .filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries);
}
