/** Where webhooks may be sent: to public addresses only, so that no tenant reaches the network of the host. */
import { BlockList, isIP } from 'node:net';

type Block = readonly [network: string, bits: number];

/** The special-purpose addresses of RFC 6890 and its registry, multicast among them. */
const RESERVED_V4: readonly Block[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
];
/** All but 2000::/3, and of that what leads to addresses of version 4 or is kept for special purposes. */
const RESERVED_V6: readonly Block[] = [
  ['::', 3],
  ['4000::', 2],
  ['8000::', 1],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

/** A list for each: of one list, addresses of version 4 would be looked for in both. */
const RESERVED = { ipv4: new BlockList(), ipv6: new BlockList() };
for (const [network, bits] of RESERVED_V4) RESERVED.ipv4.addSubnet(network, bits, 'ipv4');
for (const [network, bits] of RESERVED_V6) RESERVED.ipv6.addSubnet(network, bits, 'ipv6');

const LOOPBACK = { ipv4: new BlockList(), ipv6: new BlockList() };
LOOPBACK.ipv4.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.ipv6.addAddress('::1', 'ipv6');

/** Of an IP address as text. */
export function isPublicAddress(address: string): boolean {
  return isIP(address) !== 0 && !isIn(RESERVED, address);
}

function isIn(lists: typeof RESERVED, address: string): boolean {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  return lists[family].check(address, family);
}

export type UrlFault = 'not_a_url' | 'scheme' | 'credentials' | 'fragment' | 'address';

/**
 * Why webhooks cannot be sent to a URL, as far as it says by itself: a name is looked up when it is
 * connected to. With `loopback` this machine is admitted, by http too.
 */
export function urlFault(
  text: string,
  { loopback }: { readonly loopback: boolean },
): UrlFault | undefined {
  if (!URL.canParse(text)) return 'not_a_url';
  const { protocol, username, password, hostname } = new URL(text);
  if (protocol !== 'https:' && protocol !== 'http:') return 'scheme';
  if (username !== '' || password !== '') return 'credentials';
  if (text.includes('#')) return 'fragment';
  const host = hostOf(hostname);
  if (isLoopback(host)) return loopback ? undefined : 'address';
  if (protocol === 'http:') return 'scheme';
  return isIP(host) === 0 || isPublicAddress(host) ? undefined : 'address';
}

/** A URL has every notation of an address in its usual one, and version 6 in brackets. */
export function hostOf(hostname: string): string {
  return hostname.replace(/^\[|\]$|\.$/g, '');
}

/** Of an address, or of a name that is kept for this machine. */
export function isLoopback(host: string): boolean {
  if (isIP(host) !== 0) return isIn(LOOPBACK, host);
  return host === 'localhost' || host.endsWith('.localhost');
}
