/** Admits a form only from a page of this host that was made for the same session. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { RequestContext } from '../http/endpoint.ts';
import type { ConsoleServices } from './slice.ts';

type GuardServices = Pick<ConsoleServices, 'formKey' | 'publicUrl'>;

/** The token of the forms of a session, or of a visitor. */
export function formToken({ formKey }: GuardServices, secret: string): string {
  return createHmac('sha256', formKey).update(secret).digest('base64url');
}

export function isFormToken(services: GuardServices, secret: string, given: unknown): boolean {
  const expected = Buffer.from(formToken(services, secret));
  const actual = Buffer.from(typeof given === 'string' ? given : '');
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

/** Browsers send the origin with every form. A proxy may speak https for the host, so schemes may differ. */
export function isOwnOrigin(
  { origin = '', host = '' }: RequestContext,
  { publicUrl }: GuardServices,
): boolean {
  if (!URL.canParse(origin)) return false;
  const sent = new URL(origin);
  if (publicUrl !== undefined && sent.origin === publicUrl) return true;
  return host !== '' && sent.host === host.toLowerCase();
}
