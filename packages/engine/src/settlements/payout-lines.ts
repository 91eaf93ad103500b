/** The lines of a gateway's payout, as lines of a settlement file. */
import { createHash } from 'node:crypto';
import { canonicalJson, currencyOf, toDecimal } from '@counterfoil/core';
import type {
  GatewayPayout,
  GatewayPayoutLine,
  GatewaySettlements,
} from '../gateways/gateway-settlements.ts';
import type { AccountContext } from '../gateways/payment-gateway.ts';
import type { LineSource } from './import-run.ts';
import type { FileLine } from './settlement-file.ts';

const MAX_PAGES = 10_000;

/** Read as they are booked. What they come to is compared with the payout at the end. */
export function payoutSource(
  source: GatewaySettlements,
  payout: GatewayPayout,
  context: AccountContext,
): LineSource {
  const digest = createHash('sha256').update(canonicalJson(payout));
  const faultOf = (detail: string): FileLine => ({
    line: null,
    reference: payout.id,
    since: payout.settledDate,
    detail,
  });

  async function* lines(): AsyncGenerator<readonly FileLine[]> {
    if (payout.status === 'unlisted') {
      yield [faultOf(`the gateway lists no lines of this payout of ${shown(payout)}`)];
      return;
    }
    /** Null once a line has no amount that the ledger has. */
    let sumMinor: bigint | null = 0n;
    for await (const page of pagesOf(source, payout, context)) {
      for (const { netMinor } of page) {
        sumMinor = sumMinor === null || netMinor === null ? null : sumMinor + netMinor;
      }
      digest.update(canonicalJson(page));
      yield page.flatMap((line) => fileLineOf(line, payout));
    }
    const { amountMinor } = payout;
    if (amountMinor !== null && sumMinor !== null && amountMinor !== sumMinor) {
      const { currency } = payout;
      const sum = shown({ amountMinor: sumMinor, currency });
      yield [faultOf(`the payout is of ${shown(payout)}, and its lines come to ${sum}`)];
    }
  }

  return { lines: lines(), digest: () => digest.digest('hex') };
}

async function* pagesOf(
  source: GatewaySettlements,
  { id }: GatewayPayout,
  context: AccountContext,
): AsyncGenerator<readonly GatewayPayoutLine[]> {
  let after: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { lines, next } = await source.linesOf(id, after === undefined ? {} : { after }, context);
    yield lines;
    after = next;
    if (after === undefined) return;
  }
  throw new Error(`more than ${MAX_PAGES} pages of lines in the payout ${id}`);
}

function fileLineOf(line: GatewayPayoutLine, { settledDate }: GatewayPayout): readonly FileLine[] {
  const { reference } = line;
  switch (line.type) {
    case 'returned-payout':
      return [];
    case 'other':
      return [{ line: null, reference, since: settledDate, detail: line.detail }];
    default: {
      const { kind, paymentId, gatewayTransactionId, amountMinor, currency, feeMinor } = line;
      const money = { amountMinor, currency, feeMinor };
      return [
        {
          line: null,
          kind,
          reference,
          gatewayTransactionId,
          arn: '',
          ...money,
          settledDate,
          paymentId,
        },
      ];
    }
  }
}

function shown({ amountMinor, currency }: Pick<GatewayPayout, 'amountMinor' | 'currency'>): string {
  const isKnown = amountMinor !== null && currencyOf(currency) !== undefined;
  return isKnown ? `${toDecimal(amountMinor, currency)} ${currency}` : `an amount in ${currency}`;
}
