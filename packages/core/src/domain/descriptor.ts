/** The descriptor of a payment: what the cardholder's statement shows. */
import type { Settings } from './merchant-account.ts';

export const MAX_LENGTH = 25;

/** `dynamicDescriptorFormat`: what follows the prefix. */
export const FORMAT = { Prefix: 0, OrderId: 1, Shop: 2, Product: 3 } as const;
export const LAST_FORMAT = FORMAT.Product;

const SEPARATOR = '*';
const NETWORK_B = 2;

/** What a descriptor can name of a payment. */
export interface Described {
  readonly orderId: number;
  /** `cardBrandId` of the card; 0 when unknown. */
  readonly brandId: number;
  /** Empty without one. */
  readonly shop: string;
  readonly product: string;
}

type Configured = Pick<
  Settings,
  | 'descriptor'
  | 'dynamicDescriptorEnabled'
  | 'dynamicDescriptorFormat'
  | 'dynamicDescriptorPrefix'
  | 'dynamicDescriptorPrefix_NetworkB'
>;

/** Whether the descriptor names the shop or the product. */
export function namesOf(settings: Configured): 'shop' | 'product' | undefined {
  if (!settings.dynamicDescriptorEnabled) return undefined;
  if (settings.dynamicDescriptorFormat === FORMAT.Shop) return 'shop';
  return settings.dynamicDescriptorFormat === FORMAT.Product ? 'product' : undefined;
}

/**
 * The account's own descriptor, or `<prefix>*<order id, shop or product>` in at most 25 characters. Of a
 * long one the end is cut off; an order id stays whole, and its prefix is cut.
 */
export function descriptorOf(settings: Configured, payment: Described): string {
  const { descriptor, dynamicDescriptorEnabled, dynamicDescriptorFormat } = settings;
  if (!dynamicDescriptorEnabled) return descriptor;
  const prefix = prefixOf(settings, payment.brandId);
  switch (dynamicDescriptorFormat) {
    case FORMAT.OrderId: {
      const end = `${SEPARATOR}${payment.orderId}`;
      return `${prefix.slice(0, MAX_LENGTH - end.length)}${end}`;
    }
    case FORMAT.Shop:
      return followedBy(prefix, payment.shop);
    case FORMAT.Product:
      return followedBy(prefix, payment.product);
    default:
      return cut(prefix);
  }
}

/** Without a prefix of the network that of all networks; without that, the account's own descriptor. */
function prefixOf(settings: Configured, brandId: number): string {
  const own = brandId === NETWORK_B ? printable(settings.dynamicDescriptorPrefix_NetworkB) : '';
  return own || printable(settings.dynamicDescriptorPrefix) || settings.descriptor;
}

function followedBy(prefix: string, name: string): string {
  const end = printable(name);
  return cut(end === '' ? prefix : `${prefix}${SEPARATOR}${end}`);
}

function cut(text: string): string {
  return text.slice(0, MAX_LENGTH).trimEnd();
}

/** What statements can show: letters without accents, digits, and a few signs. */
function printable(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9 .,&/'-]+/g, ' ')
    .replace(/ {2,}/g, ' ')
    .trim();
}
