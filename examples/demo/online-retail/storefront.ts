/** The products of the shop, derived from its sales: one per stock code number, with designs as variants. */
import { type Reference, toMajor } from '@counterfoil/core';
import { CURRENCY, type SaleLine } from './read-sales.ts';
import { isCharge, type StockItem, stockItemOf } from './stock-code.ts';

export interface PlannedVariant extends StockItem {
  /** The most frequent description of its lines; the stock code when none has one. */
  readonly title: string;
  /** The most frequent unit price. */
  readonly priceMinor: bigint;
}

export interface PlannedProduct {
  readonly storefrontProductId: number;
  /** The title of the best-selling variant. */
  readonly title: string;
  /** Postage and fees are not shipped. */
  readonly goods: boolean;
  readonly firstSoldAt: string;
  readonly lastSoldAt: string;
  /** By variant id. */
  readonly variants: readonly PlannedVariant[];
}

const MAX_TITLE_CHARS = 500;

export function productsOf(lines: readonly SaleLine[]): readonly PlannedProduct[] {
  const byProduct = Map.groupBy(lines, (line) => stockItemOf(line.stockCode).storefrontProductId);
  return [...byProduct]
    .sort(([a], [b]) => a - b)
    .map(([storefrontProductId, ofProduct]) => productOf(storefrontProductId, ofProduct));
}

function productOf(storefrontProductId: number, lines: readonly SaleLine[]): PlannedProduct {
  const byCode = Map.groupBy(lines, (line) => stockItemOf(line.stockCode).code);
  const variants = [...byCode].map(([code, ofCode]) => variantOf(code, ofCode));
  const bestSeller = mostFrequent(lines.map((line) => stockItemOf(line.stockCode).code)) ?? '';
  const times = lines.map((line) => line.at).sort();
  return {
    storefrontProductId,
    title: variants.find((variant) => variant.code === bestSeller)?.title ?? bestSeller,
    goods: !isCharge(bestSeller),
    firstSoldAt: times[0] ?? '',
    lastSoldAt: times.at(-1) ?? '',
    variants: variants.sort((a, b) => a.storefrontVariantId - b.storefrontVariantId),
  };
}

function variantOf(code: string, lines: readonly SaleLine[]): PlannedVariant {
  const titles = lines.map((line) => line.description).filter((title) => title !== '');
  const prices = lines.map((line) => line.unitPriceMinor).filter((price) => price > 0n);
  return {
    ...stockItemOf(code),
    title: (mostFrequent(titles) ?? code).slice(0, MAX_TITLE_CHARS),
    priceMinor: mostFrequent(prices) ?? 0n,
  };
}

/** The most frequent value; the first of equals. */
function mostFrequent<Value extends string | bigint>(values: readonly Value[]): Value | undefined {
  const counts = new Map<Value, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  let most: Value | undefined;
  for (const [value, count] of counts) {
    if (most === undefined || count > (counts.get(most) ?? 0)) most = value;
  }
  return most;
}

/** Converts a planned product to a storefront product of the contract. */
export function storefrontProductOf(
  product: PlannedProduct,
  shopId: number,
): Reference.StorefrontProduct {
  const { storefrontProductId: id, title, goods, firstSoldAt, lastSoldAt } = product;
  const times = { created_at: firstSoldAt, updated_at: lastSoldAt };
  const designs = product.variants.map((variant) => variant.code);
  return {
    id,
    shop_id: shopId,
    imageid: 0,
    title,
    vendor: 'Online Retail',
    product_type: goods ? 'Gift' : 'Charge',
    handle: String(designs[0] ?? id)
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-'),
    status: 'active',
    ...times,
    last_refresh: lastSoldAt,
    options: [
      { id, product_id: id, name: 'Stock code', position: 1, values: JSON.stringify(designs) },
    ],
    variants: product.variants.map((variant, index) => ({
      id: variant.storefrontVariantId,
      product_id: id,
      inventory_item_id: variant.storefrontVariantId,
      title: variant.title,
      sku: variant.code.slice(0, 200),
      fulfillment_service: 'manual',
      price: toMajor(variant.priceMinor, CURRENCY),
      cost: 0,
      compare_at_price: null,
      position: index + 1,
      option1: variant.code.slice(0, 500),
      option2: null,
      option3: null,
      ...times,
      requires_shipping: goods,
      image_id: null,
    })),
    images: [],
  };
}
