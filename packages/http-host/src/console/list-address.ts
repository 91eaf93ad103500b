/** Addresses of lists with their filters. */

/** An address with the whole state of the list: what is '' or undefined is left out. */
export function addressWith(path: string, query: object): string {
  const pairs = Object.entries(query).filter(
    (pair): pair is [string, string] => typeof pair[1] === 'string' && pair[1] !== '',
  );
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs)}`;
}
