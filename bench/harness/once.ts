/** What is costly to make and not always wanted. */

/** Made when it is first asked for. */
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
