/** Maps stock codes to numeric product and variant ids. */
import { createHash } from 'node:crypto';

export interface StockItem {
  /** Upper case: the data set writes `85123A` and `85123a` for one item. */
  readonly code: string;
  readonly storefrontProductId: number;
  readonly storefrontVariantId: number;
}

const GOODS = /^([1-9]\d{4})([A-Z]{0,3})$/;
const LETTERS = 27;
const VARIANTS_PER_PRODUCT = 100_000;

/**
 * Five digits are the product, the letters after them its design: `85123A` is variant 8512300001 of
 * product 85123. Other codes (`POST`, `DCGS0076`) have no such form and no bounded length: they map
 * to 52 bits of their hash, above all other ids, and are a product each. Check many of them with
 * `assertInjective`.
 */
export function stockItemOf(stockCode: string): StockItem {
  const code = stockCode.toUpperCase();
  const [, digits, design = ''] = GOODS.exec(code) ?? [];
  if (digits === undefined) {
    const id = hashedId(code);
    return { code, storefrontProductId: id, storefrontVariantId: id };
  }
  const storefrontProductId = Number(digits);
  const storefrontVariantId = storefrontProductId * VARIANTS_PER_PRODUCT + rankOf(design);
  return { code, storefrontProductId, storefrontVariantId };
}

/** '' is 0, A to Z are 1 to 26, AA is 28: a number in base 27 without the digit 0. */
function rankOf(design: string): number {
  let rank = 0;
  for (const letter of design) rank = rank * LETTERS + letter.charCodeAt(0) - 64;
  return rank;
}

/** Between 2^52 and 2^53: a safe integer above all derived ids. */
function hashedId(code: string): number {
  const hash = createHash('sha256').update(`online-retail/stock-code/${code}`).digest();
  return 2 ** 52 + Number(hash.readBigUInt64BE() >> 12n);
}

/** Throws when two codes share a variant id: their refunds would be mixed. */
export function assertInjective(items: Iterable<StockItem>): void {
  const codes = new Map<number, string>();
  for (const { code, storefrontVariantId } of items) {
    const other = codes.get(storefrontVariantId) ?? code;
    if (other !== code) throw new Error(`stock codes ${other} and ${code} have one number`);
    codes.set(storefrontVariantId, code);
  }
}

/** Codes that are not goods: postage and carriage, manual entries, discounts, samples, fees. */
const CHARGES: ReadonlySet<string> = new Set([
  'AMAZONFEE',
  'B',
  'BANK CHARGES',
  'C2',
  'CRUK',
  'D',
  'DOT',
  'M',
  'POST',
  'S',
]);

export function isCharge(stockCode: string): boolean {
  return CHARGES.has(stockCode.toUpperCase());
}
