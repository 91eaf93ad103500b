/** What an adapter may answer to each call, checked at run time. */
import { Transaction } from '@counterfoil/core';
import { z } from 'zod';
import type { CardToken, ChargeResult, FollowUpResult, GatewayNotice } from './payment-gateway.ts';

const MAX_NOTE_CHARACTERS = 1_000;
const MAX_REFERENCE_CHARACTERS = 255;

const text = z.string().max(MAX_REFERENCE_CHARACTERS);
const reference = text.min(1);
const mayLack = text.default('');
/** Cut, since it is for reading: an outcome must not be lost for a long one. */
export const gatewayNote = z
  .string()
  .default('')
  .transform((given) => given.slice(0, MAX_NOTE_CHARACTERS).toWellFormed());
const note = gatewayNote;
const amountMinor = z.bigint().nonnegative();

const { brandId, binCountry, ...kept } = Transaction.Card.shape;

const token: z.ZodType<CardToken> = z.object({
  ...kept,
  brandId: brandId.optional(),
  country: binCountry.optional(),
});

const charge: z.ZodType<ChargeResult> = z.discriminatedUnion('result', [
  z.object({
    result: z.enum(['authorized', 'captured']),
    authCode: mayLack,
    gatewayTransactionId: reference,
    arn: mayLack,
    avsChecked: z.boolean().default(false),
    note,
  }),
  z.object({
    result: z.literal('declined'),
    declineCode: text,
    hard: z.boolean(),
    gatewayTransactionId: mayLack,
    note,
  }),
  z.object({
    result: z.literal('action-required'),
    nextAction: z.object({ type: z.string(), url: z.string() }),
    gatewayTransactionId: reference,
    note,
  }),
  z.object({ result: z.literal('failed'), note }),
]);

const followUp: z.ZodType<FollowUpResult> = z.discriminatedUnion('result', [
  z.object({ result: z.literal('done'), gatewayTransactionId: text, arn: mayLack, note }),
  z.object({ result: z.literal('refused'), note }),
]);

/** A value of a code table, without the one for none. */
export const codeOf = <Code extends string>(table: Readonly<Record<Code, number>>) =>
  z.enum(Object.keys(table) as Code[]).exclude(['None'] as never);

const notice = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('chargeback'),
    reference,
    amountMinor,
    reasonCode: mayLack,
    arn: mayLack,
  }),
  z.object({
    kind: z.literal('alert'),
    reference,
    amountMinor,
    source: codeOf(Transaction.ALERT_SOURCE),
    alertType: codeOf(Transaction.ALERT_TYPE),
    arn: mayLack,
  }),
]) as unknown as z.ZodType<GatewayNotice>;

/** The schemas of answers. Unknown members are left out. */
export const GATEWAY_ANSWERS = { token, charge, followUp, notices: z.array(notice) } as const;
