/** Lazy initialization. */

/** Created on first use. */
export interface Once<Value> {
  (): Promise<Value>;
  made(): boolean;
}

export function once<Value>(make: () => Promise<Value>): Once<Value> {
  let value: Promise<Value> | undefined;
  const get = () => {
    value ??= make();
    return value;
  };
  return Object.assign(get, { made: () => value !== undefined });
}
