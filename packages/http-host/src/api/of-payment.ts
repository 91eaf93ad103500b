/** What the lists of a payment have in common: each is one page. */
import { z } from 'zod';
import { pageBody } from './collections.ts';
import { Uuid } from './wire.ts';

export const OF_PAYMENT = {
  method: 'GET',
  tag: 'Admin',
  params: z.object({ id: Uuid.meta({ description: 'The payment' }) }),
  rejections: ['not_found'],
  idempotency: 'none',
} as const;

export function wholeList(items: readonly object[]) {
  return { status: 200 as const, body: pageBody({ items, next: undefined }) };
}
