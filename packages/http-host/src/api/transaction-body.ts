/** The transaction record of the Customer Service detail, and its related records. */
import { z } from 'zod';
import {
  AlertSourceId,
  AlertSourceName,
  AlertTypeId,
  AlertTypeName,
  At,
  CardBrandId,
  CardBrandName,
  RefundSourceId,
  RefundSourceName,
  StatusId,
  StatusName,
  UuidText,
} from './answer-fields.ts';
import { RoutingBody } from './payment-body.ts';
import { SubscriptionBody } from './subscription-body.ts';

const fields = {
  gateway: z.string(),
  messageID: UuidText,
  orderId: z.int(),
  sent: At,
  email: z.string(),
  application: z.string(),
  applicationID: z.int(),
  customerID: z.int(),
  shortcodeID: z.int(),
  billingCode: z.string(),
  data: z.string(),
  status: StatusName,
  statusID: StatusId,
  success: z.boolean(),
  completed: At.nullable(),
  premium: z.int(),
  currency: z.string(),
  pricePointID: z.int(),
  pricePoint: z.string(),
  priceVal: z.number(),
  product: z.string(),
  productID: z.int(),
  campaign: z.string(),
  campaignID: z.int(),
  shopId: z.int(),
  storeName: z.string(),
  storeDomain: z.string(),
  storeRootDomain: z.string(),
  merchantAccountId: z.int(),
  midName: z.string(),
  mid: z.string(),
  companyId: z.int(),
  company: z.string(),
  parentCompanyId: z.int(),
  parentCompany: z.string(),
  bin: z.string(),
  last4: z.int(),
  sessionId: z.string(),
  name: z.string(),
  refundable: z.boolean(),
  refunded: z.boolean(),
  hasAlert: z.boolean(),
  chargedBack: z.boolean(),
  attempt: z.int(),
  authOnly: z.boolean(),
  paymentNumber: z.int(),
  totalAttempt: z.int(),
  refundSource: RefundSourceId,
  alertType: AlertTypeId,
  alertSource: AlertSourceId,
  originalMessageId: UuidText.nullable(),
  originalApplicationId: z.int(),
  originalApplication: z.string(),
  storeCurrency: z.string(),
  blackListing: z.int(),
  alertSourceName: AlertSourceName,
  alertTypeName: AlertTypeName,
  refundSourceName: RefundSourceName,
  walletPayA: z.boolean(),
  walletPayB: z.boolean(),
  serviceSession: z.string(),
  partnerSession: z.string(),
  cardBrandId: CardBrandId,
  cardBrand: CardBrandName,
  exceedsCaptured: z.boolean().optional().meta({
    description:
      'Of a chargeback: it took money that had been given back already, or was on its way',
  }),
  refundedBefore: z.number().optional().meta({
    description: 'Of a chargeback: what had been refunded when it came, pending refunds included',
  }),
};

const ChildTransaction = z
  .object({ ...fields, childTransactions: z.array(z.never()).max(0) })
  .meta({ id: 'ChildTransaction', description: 'A refund, void, chargeback or alert' });

/** Unknown texts are '', unknown numbers 0. */
const TransactionBody = z
  .object({ ...fields, childTransactions: z.array(ChildTransaction) })
  .meta({ id: 'Transaction' });

const AddressBody = z
  .object({
    addressType: z.enum(['DEFAULT', 'SHIPPING']),
    email: z.string(),
    orderId: z.int(),
    messageId: UuidText,
    firstName: z.string(),
    lastName: z.string(),
    address: z.string(),
    city: z.string(),
    postalCode: z.string(),
    state: z.string(),
    countryCode: z.string(),
    phone: z.string(),
  })
  .meta({ id: 'Address' });

const DefaultAddress = AddressBody.nullable().meta({
  id: 'DefaultAddress',
  description: 'With getAddressData: the default address; null when none was given',
});

const SessionBody = z
  .object({
    id: z.string(),
    ip: z.string(),
    useragent: z.string(),
    url: z.string(),
    timestamp: At,
    ipCity: z.string(),
    ipCountryCode: z.string(),
  })
  .nullable()
  .meta({ id: 'Session', description: 'With getSessionData; null when none was given' });

const CartLineBody = z
  .object({
    Quantity: z.int32(),
    StorefrontVariantId: z.int(),
    UnitPrice: z.number(),
    StorefrontProductId: z.int(),
    MessageId: UuidText,
    ShopId: z.int(),
    CurrencyId: z.int32().meta({ description: 'Numeric code of ISO 4217' }),
    UnitCost: z.number(),
    DiscountCodeId: z.int32(),
    DiscountAmount: z.number(),
    SalesStrategyId: z.int32(),
    CustomDiscountAmount: z.number(),
  })
  .meta({ id: 'LineItem' });

const option = z.string().nullable();

const ProductOption = z
  .object({
    id: z.int(),
    product_id: z.int(),
    name: z.string(),
    position: z.int32(),
    values: z.string(),
  })
  .meta({ id: 'StorefrontOption' });

const ProductVariant = z
  .object({
    id: z.int(),
    product_id: z.int(),
    inventory_item_id: z.int(),
    title: z.string(),
    sku: z.string(),
    fulfillment_service: z.string(),
    price: z.number(),
    cost: z.number(),
    compare_at_price: z.number().nullable(),
    position: z.int32(),
    option1: option,
    option2: option,
    option3: option,
    created_at: At,
    updated_at: At,
    requires_shipping: z.boolean(),
    image_id: z.int().nullable(),
  })
  .meta({ id: 'StorefrontVariant' });

const ProductImage = z
  .object({
    id: z.int(),
    product_id: z.int(),
    width: z.int32(),
    height: z.int32(),
    position: z.int32(),
    src: z.string(),
  })
  .meta({ id: 'StorefrontImage' });

const StorefrontProductBody = z
  .object({
    id: z.int(),
    shop_id: z.int(),
    imageid: z.int(),
    title: z.string(),
    vendor: z.string(),
    product_type: z.string(),
    handle: z.string(),
    status: z.string(),
    created_at: At,
    updated_at: At,
    last_refresh: At,
    options: z.array(ProductOption),
    variants: z.array(ProductVariant),
    images: z.array(ProductImage),
  })
  .meta({ id: 'StorefrontProduct' });

export const DetailAnswer = z
  .object({
    success: z.literal(true),
    message: z.string(),
    transaction: TransactionBody.optional().meta({ description: 'With getSearchData' }),
    routing: RoutingBody.optional(),
    addressData: DefaultAddress.optional(),
    addresses: z.array(AddressBody).optional().meta({ description: 'With getAddressData: all' }),
    subscriptions: z.array(SubscriptionBody).optional().meta({
      description:
        'With getSubscription: those that the payment started, or the one that it is a rebill of',
    }),
    sessionData: SessionBody.optional(),
    cart: z
      .array(CartLineBody)
      .optional()
      .meta({ description: 'Line items of the order or of the refund, when there are any' }),
    storefrontProducts: z
      .array(StorefrontProductBody)
      .optional()
      .meta({ description: 'Products of the cart, when the order is ecommerce' }),
  })
  .meta({ id: 'TransactionDetail' });
