/** The examples of the document. Their ids are those of the demo's first order, so they work against it. */
import type { DocumentInfo } from '../http/openapi.ts';
import { REFERENCE_EXAMPLES, REFERENCE_PATHS } from './references.ts';

const PAYMENT_ID = '0e3eb00c-930f-8aa8-a016-a978d230da71';
const CUSTOMER_ID = 17850;
const SESSION_ID = '0e3eb00c-930f-8aa8-a016-a978d230da72';
const CLIENT_SECRET = `${SESSION_ID}_secret_RlVja5Tm1XhYAb0PYcO3aXw7TQ0o5nL8q2uPz6Yk4vA`;
const KEY_ID = '01980a3c-5b1e-7c1f-8d5a-2f6b7c8d9e0f';

const claims = { parentCompanyId: 1, userEmail: 'demo@counterfoil.example' };
const card = { number: '4242424242424242', expMonth: 12, expYear: 2035, cvv: '123' };
const contact = {
  email: 'cleo@shop.example',
  firstName: 'Cleo',
  lastName: 'Carter',
  addresses: [
    { address: '1 High Street', city: 'London', postalCode: 'N1 1AA', countryCode: 'GB' },
  ],
};

const merchantAccount = {
  mid: '700000000002',
  title: 'Online Retail EUR',
  companyId: 1,
  gatewayId: 1,
  descriptor: 'ONLINE RETAIL',
  defaultCurrency: 'EUR',
  currencies: [{ currency: 'EUR', gatewayCredentials: { apiKey: 'key-of-the-gateway' } }],
  mcc: '5947',
  maxPrice: 500,
  monthlyCap: 50_000,
  discountRatePercentage: 1.4,
};

export const EXAMPLES: Required<DocumentInfo>['examples'] = {
  parameters: {
    '/api/admin/keys/{id}': KEY_ID,
    '/api/admin/leadkeys/{id}': KEY_ID,
    '/api/admin/senderdomains/{id}': KEY_ID,
    '/api/admin/savedsearches/{id}': KEY_ID,
    '/api/admin/suppressions/{id}': '01980a3c-5b1e-8c1f-8d5a-2f6b7c8d9e12',
    '/api/email/{id}': KEY_ID,
    '/api/admin/webhookendpoints/{id}': KEY_ID,
    '/api/admin/webhookendpoints/{id}/deliveries/{deliveryId}':
      '01980a3c-5b1e-8c1f-8d5a-2f6b7c8d9e12',
    '/api/admin/users/{id}': KEY_ID,
    '/api/admin/roles/{id}': KEY_ID,
    '/api/admin/blacklist/{id}': '01980a3c-5b1e-8c1f-8d5a-2f6b7c8d9e11',
    ...Object.fromEntries(REFERENCE_PATHS.map((path) => [`${path}/{id}`, 1])),
    '/v1/payments/{id}': PAYMENT_ID,
    '/api/transactions/{id}': PAYMENT_ID,
    '/v1/checkout-sessions/{id}': SESSION_ID,
    '/api/public/checkout-sessions/{id}': SESSION_ID,
    '/widget/{file}': 'v1.js',
    '/api/admin/settlements/{id}': '01980a3c-5b1e-8c1f-8d5a-2f6b7c8d9e0f',
    '/v1/subscriptions/{id}': 1_000_000_000,
    '/api/admin/disputes/{id}': '01980a3c-5b1e-8c1f-8d5a-2f6b7c8d9e10',
    '/api/admin/disputes/{id}/evidence/{digest}':
      '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    '/api/admin/merchantaccounts/{id}': 1_000_000_000,
    '/customers/{id}': CUSTOMER_ID,
    '/customers/{id}/payment-methods/{methodId}': '01980a3c-5b1e-7c1f-8d5a-2f6b7c8d9e0f',
  },
  bodies: {
    GatewayEvent: {
      id: 'evt_1PgafmB7WZ01zgkW',
      object: 'event',
      type: 'charge.dispute.created',
      created: 1_767_225_600,
      data: { object: { id: 'du_1PgafmB7WZ01zgkW', object: 'dispute' } },
    },
    WebhookReplayInput: { since: '2026-03-01T00:00:00Z', status: 'dead' },
    DetailRequest: { ...claims, id: PAYMENT_ID, getSearchData: true, getAddressData: true },
    RefundRequest: { ...claims, messageId: PAYMENT_ID },
    UnsubscribeRequest: { ...claims, email: 'ben@shop.example' },
    CustomerRegistration: { ...claims, ...contact },
    CustomerReplacement: {
      ...claims,
      ...contact,
      email: 'cleo.carter@shop.example',
      rowVersion: 1,
    },
    PaymentMethodInput: { card, default: true, companyId: 1 },
    TransactionSearch: { dateFrom: '2010-12-01', dateTo: '2010-12-31', limit: 10 },
    MitigationTransactionSearch: { dateFrom: '2010-12-01', includeUpdated: true, limit: 10 },
    DisputeNote: { note: 'Agreed with the customer' },
    Representment: { fields: { trackingNumber: 'RM123456789GB' } },
    DisputeMatch: { transactionId: PAYMENT_ID },
    ChargebackReport: {
      reference: 'CB-2026-000123',
      amount: 19.99,
      currency: 'GBP',
      transactionId: PAYMENT_ID,
      reasonCode: '10.4',
    },
    AlertReport: {
      reference: 'AL-2026-000123',
      amount: 19.99,
      currency: 'GBP',
      transactionId: PAYMENT_ID,
      type: 'CustomerDispute',
      source: 'CDRN',
    },
    MitigationSearch: { email: 'ben@shop.example', dateFrom: '2010-12-01' },
    MerchantAccountInput: merchantAccount,
    MerchantAccountBatch: [merchantAccount],
    MerchantAccountReplacement: { ...merchantAccount, monthlyCap: 60_000, rowVersion: 1 },
    MerchantAccountPatch: { monthlyCap: 60_000, maxPrice: null },
    PaymentInput: {
      amount: 19.99,
      currency: 'GBP',
      email: 'ben@shop.example',
      card,
      companyId: 1,
    },
    CheckoutSessionInput: {
      amount: 19.99,
      currency: 'GBP',
      email: 'ben@shop.example',
      companyId: 1,
      partnerSession: 'visit-7f3a',
      successUrl: 'https://shop.example/thanks',
      cancelUrl: 'https://shop.example/cart',
      expiresIn: 3_600,
    },
    CheckoutSessionPass: { clientSecret: CLIENT_SECRET },
    CheckoutPayInput: { clientSecret: CLIENT_SECRET, card, attempt: 1 },
    CheckoutActionInput: { clientSecret: CLIENT_SECRET, outcome: 'done' },
    NoFields: {},
    CaptureInput: { amount: 19.99 },
    PaymentRefundInput: { amount: 0, sendUserCommunication: false },
    SubscriptionFreezeInput: { note: 'On holiday' },
    SubscriptionEndInput: { sendUserCommunication: false },
    SubscriptionCardInput: { card: { ...card, number: '5555555555554444' } },
    SubscriptionPlanInput: { rebillAmount: 24.99, frequency: 30 },
    CustomerLeadInput: {
      email: 'dora@shop.example',
      session_id: 'visit-7f3a',
      first_name: 'Dora',
      scans: [{ page: '/tea' }],
    },
    TransactionMessage: {
      id: 'evt-2026-000123',
      type: 'payment.captured',
      data: {
        transaction: {
          id: 'P-1001',
          amount: 19.99,
          currency: 'GBP',
          applicationId: 1,
          partnerSession: 'visit-7f3a',
        },
      },
    },
    ApiKeyInput: { label: 'Back office', scopes: ['transactions:read'] },
    KeyRotation: { overlapDays: 1 },
    LeadKeyInput: {
      label: 'Shop pages',
      applicationId: 1,
      allowedOrigins: ['https://shop.acme.example'],
    },
    LeadKeyChange: { allowedOrigins: ['https://shop.acme.example', 'https://acme.example'] },
    EmailRequest: {
      from: 'Online Retail <post@online-retail.example>',
      to: 'cleo@shop.example',
      subject: 'Your order 1042',
      templateType: 'string',
      templateContent: '<p>Hello {{name}},</p>{{#if paid}}<p>Thank you.</p>{{/if}}',
      templateData: { name: 'Cleo', paid: true },
    },
    EmailBatchRequest: {
      emails: [
        {
          from: 'Online Retail <post@online-retail.example>',
          to: 'cleo@shop.example',
          subject: 'News',
          templateType: 'react',
          templateName: 'generic',
          templateData: { heading: 'News', body: 'There is a new shop.' },
        },
      ],
    },
    SuppressionInput: { email: 'dan@shop.example', note: 'Asked by telephone' },
    MailTextPreview: {
      kind: 'refunded',
      own: { subject: '{{refunded}} is on its way', text: 'Dear {{firstName}}, thank you.' },
    },
    MailSettingsChange: { tracking: { opens: true }, language: 'de' },
    SavedSearchInput: {
      name: 'Captured last week',
      search: { days: 7, currency: 'GBP', merchantAccountIds: [1] },
    },
    SenderDomainInput: { domain: 'mail.acme.example', includeSubdomains: true },
    SenderDomainChange: { includeSubdomains: false },
    WebhookEndpointInput: {
      url: 'https://hooks.acme.example/counterfoil',
      eventTypes: ['customer_lead.paid', 'payment.captured'],
      description: 'Fulfilment',
    },
    WebhookEndpointChange: { status: 'paused' },
    WebhookRotation: { overlapDays: 2 },
    UserInput: { email: 'alex@acme.example', name: 'Alex Agent', roleIds: ['agent'] },
    UserChange: { name: 'Alex Finch', roleIds: ['agent', 'viewer'] },
    RoleInput: { name: 'Night shift', scopes: ['transactions:read', 'transactions:refund'] },
    RoleReplacement: { name: 'Late shift', scopes: ['transactions:read'], rowVersion: 1 },
    BlackListEntryInput: { kind: 'email', value: 'eve@example.com', reason: 'Card testing' },
    BlackListEntryChange: { reason: 'Card testing', expiresAt: '2031-01-01T00:00:00.000Z' },
    SettingsChange: { refundWindowDays: 120, dunning: { retryAfterDays: [1, 3, 5] } },
    ...REFERENCE_EXAMPLES,
    ClockMoveInput: { advanceSeconds: 3_600 },
  },
};
