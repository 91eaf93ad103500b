/** The addresses of names, by DNS. */
import { Resolver } from 'node:dns/promises';

/** The addresses of a name, of both versions. Rejects where it has none. */
export type Resolve = (name: string) => Promise<readonly string[]>;

const DNS = { timeout: 3_000, tries: 2 };
const FAILURE_MS = 30_000;
const MAX_FAILURES = 1_000;

/** Not by the system's own look-up, which has four threads for all of the process. */
async function askDns(name: string): Promise<readonly string[]> {
  const resolver = new Resolver(DNS);
  const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  const failure = found.find((each) => each.status === 'rejected');
  if (addresses.length === 0 && failure !== undefined) throw failure.reason;
  return addresses;
}

/**
 * A name that could not be resolved fails at once for 30 seconds: what waits for it would else wait
 * for servers of names again and again. Addresses are not kept: each connection has its own.
 */
export function rememberingFailures(
  resolve: Resolve,
  now: () => number = () => performance.now(),
): Resolve {
  const failures = new Map<string, { readonly until: number; readonly error: unknown }>();
  return async (name) => {
    const known = failures.get(name);
    if (known !== undefined && now() < known.until) throw known.error;
    failures.delete(name);
    try {
      return await resolve(name);
    } catch (error) {
      if (failures.size >= MAX_FAILURES) failures.clear();
      failures.set(name, { until: now() + FAILURE_MS, error });
      throw error;
    }
  };
}

export const resolveByDns: Resolve = rememberingFailures(askDns);
