/** Fields shared by several responses: instants, ids, and codes with their names. */
import { Transaction } from '@counterfoil/core';
import { z } from 'zod';

const { STATUS_ID, REFUND_SOURCE, ALERT_TYPE, ALERT_SOURCE, CARD_BRAND } = Transaction;

export const At = z.string().meta({ format: 'date-time', description: 'ISO 8601, GMT' });

export const UuidText = z.string().meta({ format: 'uuid' });

/** An integer enum with names, as a component from which generators make an enum. */
function codes(id: string, description: string, names: Readonly<Record<string, number>>) {
  const table = Object.entries(names).map(([name, code]) => `${code} ${name}`);
  return z.literal(Object.values(names)).meta({
    id,
    type: 'integer',
    description: `${description}: ${table.join(' · ')}`,
    'x-enum-varnames': Object.keys(names),
  });
}

/** The names, ordered by code. */
function names(id: string, description: string, all: Readonly<Record<string, number>>) {
  return z.enum(Object.keys(all)).meta({ id, description });
}

export const StatusName = names(
  'TransactionStatus',
  'The state of a payment, or of a refund, chargeback or alert, which is a transaction of its own',
  STATUS_ID,
);
export const StatusId = codes('TransactionStatusId', 'The status as a number', STATUS_ID);

export const RefundSourceName = names('RefundSource', 'Who asked for the refund', REFUND_SOURCE);
export const RefundSourceId = codes(
  'RefundSourceId',
  'Who asked for the refund; of a payment, for the latest of its refunds',
  REFUND_SOURCE,
);
export const AlertTypeName = names('AlertType', 'What an alert warns of', ALERT_TYPE);
export const AlertTypeId = codes('AlertTypeId', 'What an alert warns of', ALERT_TYPE);
export const AlertSourceName = names('AlertSource', 'Where an alert came from', ALERT_SOURCE);
export const AlertSourceId = codes('AlertSourceId', 'Where an alert came from', ALERT_SOURCE);

const BRANDS = Object.fromEntries(CARD_BRAND.map((name, brandId) => [name, brandId]));
export const CardBrandId = codes('CardBrandId', 'The card network', BRANDS);
export const CardBrandName = names('CardBrand', 'The card network', BRANDS);
