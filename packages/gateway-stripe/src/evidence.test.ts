/** Which evidence has which place at Stripe, and what it does not take. */
import { expect, it } from 'vitest';
import { evidenceOf, faultOf } from './evidence.ts';

const file = (name: string, mediaType = 'application/pdf', digest = `digest of ${name}`) => ({
  name,
  digest,
  fileId: `id of ${name}`,
  mediaType: mediaType as 'application/pdf',
});

it.each([
  ['customerName', 'customer_name'],
  ['customer_name', 'customer_name'],
  ['service_date', 'service_date'],
  ['trackingNumber', 'shipping_tracking_number'],
  ['carrier', 'shipping_carrier'],
  ['email', 'customer_email_address'],
])('%s is %s', (name, place) => {
  expect(evidenceOf({ fields: { [name]: 'x' }, files: [] })).toEqual({ [place]: 'x' });
});

it('keeps what has no place, behind its name', () => {
  const fields = {
    remark: 'a',
    receipt: 'b',
    uncategorizedText: 'c',
    customerName: 'Ann',
    name: 'Ben',
    empty: '',
  };
  expect(evidenceOf({ fields, files: [] })).toEqual({
    customer_name: 'Ann',
    uncategorized_text: 'remark: a\nreceipt: b\nc\nname: Ben',
  });
});

it('places files by their names', () => {
  const names = ['Receipt.pdf', 'customerSignature.PNG', 'refund-policy', 'scan 1.pdf', '.pdf'];
  const places = names.map((name) => Object.keys(evidenceOf({ fields: {}, files: [file(name)] })));
  expect(places.flat()).toEqual([
    'receipt',
    'customer_signature',
    'refund_policy',
    'uncategorized_file',
    'uncategorized_file',
  ]);
});

it('is not what Stripe does not take, and never quoted', () => {
  const none = { fields: {}, files: [] };
  expect(faultOf(none)).toBeUndefined();
  expect(faultOf({ ...none, files: [file('a.pdf'), file('receipt.pdf')] })).toBeUndefined();
  expect(faultOf({ ...none, files: [file('a.pdf'), file('b.pdf')] })).toContain('digest of b.pdf');
  expect(faultOf({ ...none, files: [file('a.txt', 'text/plain')] })).toContain('text/plain');
  const long = (letters: number) => ({ ...none, fields: { remark: 'x'.repeat(letters) } });
  expect(faultOf(long(20_000 - 'remark: '.length))).toBeUndefined();
  expect(faultOf(long(20_000))).toBe('uncategorized_text is longer than 20000 characters');
  const texts = ['access_activity_log', 'billing_address', 'customer_name', 'service_date'];
  const more = [
    'shipping_address',
    'shipping_date',
    'product_description',
    'cancellation_rebuttal',
  ];
  const fields = Object.fromEntries([...texts, ...more].map((name) => [name, 'x'.repeat(19_000)]));
  expect(faultOf({ ...none, fields })).toBe('the texts are longer than 150000 characters');
});
