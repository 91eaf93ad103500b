/** The transaction record of the Customer Service detail, and what comes with it. */
import { z } from 'zod';
import { SubscriptionBody } from './subscription-body.ts';

const fields = {
  gateway: z.string(),
  messageID: z.string(),
  orderId: z.int(),
  sent: z.string().meta({ description: 'ISO 8601, GMT' }),
  email: z.string(),
  application: z.string(),
  applicationID: z.int(),
  customerID: z.int(),
  shortcodeID: z.int(),
  billingCode: z.string(),
  data: z.string(),
  status: z.string(),
  statusID: z.int(),
  success: z.boolean(),
  completed: z.string().nullable(),
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
  refundSource: z.int(),
  alertType: z.int(),
  alertSource: z.int(),
  originalMessageId: z.string().nullable(),
  originalApplicationId: z.int(),
  originalApplication: z.string(),
  storeCurrency: z.string(),
  blackListing: z.int(),
  alertSourceName: z.string(),
  alertTypeName: z.string(),
  refundSourceName: z.string(),
  walletPayA: z.boolean(),
  walletPayB: z.boolean(),
  serviceSession: z.string(),
  partnerSession: z.string(),
  cardBrandId: z.int(),
  cardBrand: z.string(),
};

const ChildTransaction = z
  .object({ ...fields, childTransactions: z.array(z.never()).max(0) })
  .meta({ id: 'ChildTransaction', description: 'A refund, chargeback or alert' });

/** Texts that are not known are '', numbers 0. */
const TransactionBody = z
  .object({ ...fields, childTransactions: z.array(ChildTransaction) })
  .meta({ id: 'Transaction' });

const AddressBody = z
  .object({
    addressType: z.enum(['DEFAULT', 'SHIPPING']),
    email: z.string(),
    orderId: z.int(),
    messageId: z.string(),
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

const SessionBody = z
  .object({
    id: z.string(),
    ip: z.string(),
    useragent: z.string(),
    url: z.string(),
    timestamp: z.string(),
    ipCity: z.string(),
    ipCountryCode: z.string(),
  })
  .meta({ id: 'Session' });

const CartLineBody = z
  .object({
    Quantity: z.int(),
    StorefrontVariantId: z.int(),
    UnitPrice: z.number(),
    StorefrontProductId: z.int(),
    MessageId: z.string(),
    ShopId: z.int(),
    CurrencyId: z.int().meta({ description: 'Numeric code of ISO 4217' }),
    UnitCost: z.number(),
    DiscountCodeId: z.int(),
    DiscountAmount: z.number(),
    SalesStrategyId: z.int(),
    CustomDiscountAmount: z.number(),
  })
  .meta({ id: 'LineItem' });

const option = z.string().nullable();

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
    created_at: z.string(),
    updated_at: z.string(),
    last_refresh: z.string(),
    options: z.array(
      z.object({
        id: z.int(),
        product_id: z.int(),
        name: z.string(),
        position: z.int(),
        values: z.string(),
      }),
    ),
    variants: z.array(
      z.object({
        id: z.int(),
        product_id: z.int(),
        inventory_item_id: z.int(),
        title: z.string(),
        sku: z.string(),
        fulfillment_service: z.string(),
        price: z.number(),
        cost: z.number(),
        compare_at_price: z.number().nullable(),
        position: z.int(),
        option1: option,
        option2: option,
        option3: option,
        created_at: z.string(),
        updated_at: z.string(),
        requires_shipping: z.boolean(),
        image_id: z.int().nullable(),
      }),
    ),
    images: z.array(
      z.object({
        id: z.int(),
        product_id: z.int(),
        width: z.int(),
        height: z.int(),
        position: z.int(),
        src: z.string(),
      }),
    ),
  })
  .meta({ id: 'StorefrontProduct' });

export const DetailAnswer = z
  .object({
    success: z.literal(true),
    message: z.string(),
    transaction: TransactionBody.optional().meta({ description: 'With getSearchData' }),
    addressData: AddressBody.nullable()
      .optional()
      .meta({ description: 'With getAddressData: the default address; null when none was given' }),
    addresses: z.array(AddressBody).optional().meta({ description: 'With getAddressData: all' }),
    subscriptions: z.array(SubscriptionBody).optional().meta({
      description:
        'With getSubscription: those that the payment started, or the one that it is a rebill of',
    }),
    sessionData: SessionBody.nullable()
      .optional()
      .meta({ description: 'With getSessionData; null when none was given' }),
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
