/** Verifies a DKIM signature as a receiver does (RFC 6376, rsa-sha256, relaxed and simple). */
import { hash, type KeyLike, verify } from 'node:crypto';

type Form = 'relaxed' | 'simple';

export interface Verified {
  readonly isGenuine: boolean;
  readonly domain: string | undefined;
  readonly selector: string | undefined;
  /** The names of the signed headers, in lower case. */
  readonly signed: readonly string[];
}

/** `source` is the mail as it came over the wire, its octets as Latin-1. */
export function verifyDkim(source: string, publicKey: KeyLike): Verified {
  const split = source.indexOf('\r\n\r\n');
  const headers = source.slice(0, split).split(/\r\n(?![ \t])/);
  const signature = headers.find((header) => /^DKIM-Signature:/i.test(header)) ?? '';
  const tags = tagsOf(signature);
  const [headerForm = 'simple', bodyForm = 'simple'] = (tags.get('c') ?? '').split('/') as Form[];
  const body = hash(
    'sha256',
    Buffer.from(canonicalBody(source.slice(split + 4), bodyForm), 'latin1'),
    'base64',
  );
  const signed = (tags.get('h') ?? '').toLowerCase().split(/\s*:\s*/);
  const covered = chosen(headers, signed).map(
    (header) => `${canonicalHeader(header, headerForm)}\r\n`,
  );
  const own = canonicalHeader(signature.replace(/([;:\s]b=)[^;]*/, '$1'), headerForm);
  const data = Buffer.from(covered.join('') + own, 'latin1');
  const given = Buffer.from((tags.get('b') ?? '').replaceAll(/\s/g, ''), 'base64');
  return {
    isGenuine:
      body === tags.get('bh')?.replaceAll(/\s/g, '') &&
      verify('rsa-sha256', data, publicKey, given),
    domain: tags.get('d'),
    selector: tags.get('s'),
    signed,
  };
}

function tagsOf(signature: string): ReadonlyMap<string, string> {
  const list = signature.slice(signature.indexOf(':') + 1).replaceAll('\r\n', '');
  return new Map(
    list.split(';').map((tag) => {
      const at = tag.indexOf('=');
      return [tag.slice(0, at).trim(), tag.slice(at + 1).trim()] as const;
    }),
  );
}

/** Of headers with the same name the last one first; a name without a header stands for none. */
function chosen(headers: readonly string[], names: readonly string[]): readonly string[] {
  const left = [...headers];
  return names.flatMap((name) => {
    const at = left.findLastIndex((header) => header.toLowerCase().startsWith(`${name}:`));
    return at < 0 ? [] : left.splice(at, 1);
  });
}

function canonicalHeader(header: string, form: Form): string {
  if (form === 'simple') return header;
  const at = header.indexOf(':');
  const value = header
    .slice(at + 1)
    .replaceAll('\r\n', '')
    .replaceAll(/[ \t]+/g, ' ')
    .trim();
  return `${header.slice(0, at).trim().toLowerCase()}:${value}`;
}

function canonicalBody(body: string, form: Form): string {
  const lines = body.split('\r\n').map((line) => {
    return form === 'simple' ? line : line.replaceAll(/[ \t]+/g, ' ').replace(/ $/, '');
  });
  while (lines.at(-1) === '') lines.pop();
  return lines.map((line) => `${line}\r\n`).join('');
}
