/** Look-ups of names that lead to public addresses only. */
import { isIP, type LookupFunction } from 'node:net';
import { hostOf, isLoopback, isPublicAddress } from './addresses.ts';
import type { Resolve } from './names.ts';

/** The code of the error for a name that leads elsewhere. */
export const REFUSED_ADDRESS = 'REFUSED_ADDRESS';

class RefusedAddress extends Error {
  readonly code = REFUSED_ADDRESS;
}

/**
 * Looks names up for connections, and answers only where every address may be connected to: what is
 * connected to is what was checked, whatever the name resolves to next.
 */
export function checkedLookup(
  resolve: Resolve,
  place: { readonly loopback: boolean },
): LookupFunction {
  return (hostname, options, callback) => {
    addressesOf(hostname, resolve, place).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        const [first] = found;
        if (options.all) callback(null, found);
        else callback(null, first?.address ?? '', first?.family ?? 4);
      },
      (error: NodeJS.ErrnoException) => callback(error, options.all ? [] : '', 0),
    );
  };
}

async function addressesOf(
  hostname: string,
  resolve: Resolve,
  { loopback }: { readonly loopback: boolean },
): Promise<readonly string[]> {
  // Kept for this machine, whatever a server of names says.
  if (isLoopback(hostOf(hostname))) {
    if (!loopback) throw new RefusedAddress();
    return ['127.0.0.1', '::1'];
  }
  const addresses = await resolve(hostname);
  if (addresses.length === 0) throw Object.assign(new Error(), { code: 'ENOTFOUND' });
  if (!addresses.every(isPublicAddress)) throw new RefusedAddress();
  return addresses;
}
