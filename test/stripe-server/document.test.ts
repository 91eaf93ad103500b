/** The checks against the published document: sound on Stripe's own samples, and on what we answer. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DOCUMENT_VARIABLE, publishedDocument } from './document.ts';
import { decodeForm } from './form.ts';
import { ROUTES } from './router.ts';

const path = process.env[DOCUMENT_VARIABLE];
const document = publishedDocument();

describe.skipIf(document === undefined)(`against ${DOCUMENT_VARIABLE}`, () => {
  if (document === undefined || path === undefined) return;
  const samples = JSON.parse(readFileSync(join(dirname(path), 'samples.json'), 'utf8')) as Record<
    string,
    object
  >;

  it('accepts the published samples', () => {
    const found = Object.entries(samples).flatMap(([name, sample]) =>
      document.checkObject(name, sample),
    );
    expect(found).toEqual([]);
  });

  it('has each endpoint of the server, and the server has each of its', () => {
    const ours = ROUTES.map(({ method, path: at }) => `${method} ${at}`);
    expect(ours.toSorted()).toEqual(document.endpoints().toSorted());
  });

  it('finds a property that the schema has not', () => {
    const refund = { ...samples['refund'], refunded_by: 'x' };
    expect(document.checkObject('refund', refund)).toEqual([
      'refund: / must NOT have additional properties: refunded_by',
    ]);
  });

  it('finds a property of another type', () => {
    const refund = { ...samples['refund'], amount: '100' };
    expect(document.checkObject('refund', refund)).toEqual(['refund: /amount must be integer']);
  });

  it('finds unknown and malformed parameters', () => {
    const found = document.checkRequest(
      'POST',
      '/v1/payment_intents',
      decodeForm('amount=ten&currency=usd&payment_method_options[card][colour]=red'),
    );
    expect(found).toContain('request POST /v1/payment_intents: /amount must be integer');
    expect(found.join('\n')).toContain('must NOT have additional properties: colour');
  });
});

it.runIf(document === undefined)(`is left out: ${DOCUMENT_VARIABLE} is not set`, () => {
  expect(path ?? '').toBe('');
});
