/** Generated from the OpenAPI document of the host by `pnpm build:client`: do not edit. */

/** The operations that take an `Idempotency-Key`. */
export const WITH_IDEMPOTENCY_KEY: ReadonlySet<string> = new Set([
  'POST /customerapi/refund',
  'POST /customerapi/unsubscribe',
  'POST /customers',
  'POST /customers/{id}/payment-methods',
  'POST /api/admin/merchantaccounts',
  'POST /api/admin/merchantaccounts/batch',
  'POST /v1/payments',
  'POST /v1/card/submit',
  'POST /v1/payments/{id}/confirm',
  'POST /v1/payments/{id}/capture',
  'POST /v1/payments/{id}/void',
  'POST /v1/payments/{id}/refund',
  'POST /v1/checkout-sessions',
  'POST /v1/subscriptions/{id}/freeze',
  'POST /v1/subscriptions/{id}/unfreeze',
  'POST /v1/subscriptions/{id}/unsubscribe',
  'POST /v1/subscriptions/{id}/card',
  'POST /v1/subscriptions/{id}/plan',
  'POST /api/email',
  'POST /api/email/batch',
  'POST /api/email/{id}/resend',
  'POST /v1/test/clock',
]);

/** Those that only read, although their method is POST. */
export const READS_BY_POST: ReadonlySet<string> = new Set([
  'POST /customerapi/detail',
  'POST /customerapi/search',
  'POST /api/transactions/search',
  'POST /api/admin/savedsearches',
  'POST /api/mitigation/transactions',
  'POST /api/mitigation/search',
  'POST /api/admin/mailsettings/preview',
]);

export interface paths {
    "/customerapi/detail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Transaction detail
         * @description Everything about one transaction. The flags say how much of it to send.
         *
         *     Scope: `transactions:read`. Activity: `transactions.detail`.
         */
        post: operations["getTransactionDetail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/customerapi/refund": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Refund a transaction
         * @description Gives back the remaining balance, or a part of it. A part of an ecommerce order comes with a complete refundItems list.
         *
         *     Scope: `transactions:refund`. Activity: `payments.refund`.
         */
        post: operations["refundTransaction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/customerapi/unsubscribe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Unsubscribe a customer
         * @description Ends active subscriptions of the customer who has this email now, and those whose order was placed with it. Ended subscriptions and unknown emails are no error: `unsubscribes` counts what this request ended.
         *
         *     Scope: `subscriptions:unsubscribe`. Activity: `subscriptions.unsubscribeByEmail`.
         */
        post: operations["unsubscribeCustomer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/customers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List customers
         * @description All who were ever registered, the newest first, each as the events have them at this moment. Of one who is erased only ids and times are left. One whose events cannot be read is left out.
         *
         *     Scope: `customers:read`. Activity: `customers.list`.
         */
        get: operations["listCustomers"];
        put?: never;
        /**
         * Register a customer
         * @description An email belongs to one customer of an environment. A customer who has paid is registered already; an email that only payments without success have named is registered with the customerId that they carry.
         *
         *     Scope: `customers:write`. Activity: `customers.register`.
         */
        post: operations["createCustomer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/customers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a customer
         * @description The customer as the events have it at this moment. Of one who is erased only ids and times are left.
         *
         *     Scope: `customers:read`. Activity: `customers.get`.
         */
        get: operations["getCustomer"];
        /**
         * Replace the contact data of a customer
         * @description All of it: what is left out is emptied. `rowVersion` says which version is replaced, and of two who saw the same one only the first succeeds. Another email moves the claim on it; orders and subscriptions of before keep the email that they were made with.
         *
         *     Scope: `customers:write`. Activity: `customers.replace`.
         */
        put: operations["replaceCustomer"];
        post?: never;
        /**
         * Erase a customer
         * @description For good: subscriptions end, emails are free again, and the key is destroyed under which names, addresses, emails and cards are kept, in the log too. Ids, times and amounts stay as they are. Erasing again changes nothing.
         *
         *     Scope: `customers:erase`. Activity: `customers.erase`.
         */
        delete: operations["eraseCustomer"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/customers/{id}/payment-methods": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a payment method
         * @description Keeps a card for later payments, typed in or by the token of an earlier one. A card that the customer has already keeps its id, and takes over a later expiry. At most 20 a customer.
         *
         *     Scope: `customers:write`. Activity: `customers.addPaymentMethod`.
         */
        post: operations["addPaymentMethod"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/customers/{id}/payment-methods/{methodId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a payment method
         * @description The card added last takes the place of a default that is removed. Its tokens are unknown from then on. Subscriptions with that card no longer charge it: their next charge fails with `card_removed` and freezes them, until they are given a card.
         *
         *     Scope: `customers:write`. Activity: `customers.removePaymentMethod`.
         */
        delete: operations["removePaymentMethod"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/customerapi/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Search transactions
         * @description Payments and their refunds, chargebacks and alerts, the newest first. All filters must hold; of an array, one element. Without any filter: the last 30 days.
         *
         *     Scope: `transactions:read`.
         */
        post: operations["searchCustomerTransactions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/transactions/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Search transactions
         * @description Payments and their refunds, chargebacks and alerts, the newest first. All filters must hold; of an array, one element. Without any filter: the last 30 days.
         *
         *     Scope: `transactions:read`.
         */
        post: operations["searchTransactions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/transactions/unanswered": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List payments of unknown outcome
         * @description Payments whose gateway was asked and has not answered, those that have waited longest first. The host asks the gateway again by itself, for five days; a payment is listed until its outcome is known.
         *
         *     Scope: `transactions:read`.
         */
        get: operations["listUnansweredPayments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/transactions/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what happened to a payment
         * @description Every event of the payment and its children, the oldest first: what, when, by whom, and with which request.
         *
         *     Scope: `transactions:read`. Activity: `transactions.history`.
         */
        get: operations["listPaymentEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/transactions/{id}/entries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what a payment posted to the books
         * @description The journal entries of the payment and its children, in the order of its events.
         *
         *     Scope: `ledger:read`.
         */
        get: operations["listPaymentEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/transactions/{id}/emails": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what the ledger mailed about a payment
         * @description At most 100 emails, the oldest first. Emails about its subscription are not among them.
         *
         *     Scope: `mails:read`.
         */
        get: operations["listPaymentEmails"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/transactions/{id}/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what was sent about a payment to webhook endpoints
         * @description Deliveries of the first 100 messages to all endpoints, the oldest first.
         *
         *     Scope: `webhooks:read`.
         */
        get: operations["listPaymentWebhooks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/savedsearches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List saved searches
         * @description The searches of transactions that the user of `UserEmail` has saved, by their ids, which is the order of time.
         *
         *     Scope: `transactions:read`.
         */
        get: operations["listSavedSearches"];
        put?: never;
        /**
         * Create a saved search
         * @description For the user of `UserEmail`, who has at most 50. A search for one person is not saved: it would outlive the person’s erasure.
         *
         *     Scope: `transactions:read`. Activity: `savedSearches.create`.
         */
        post: operations["createSavedSearch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/savedsearches/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a saved search
         * @description A saved search of the user by its id.
         *
         *     Scope: `transactions:read`.
         */
        get: operations["getSavedSearch"];
        put?: never;
        post?: never;
        /**
         * Remove a saved search
         * @description The answer has it as it was.
         *
         *     Scope: `transactions:read`. Activity: `savedSearches.remove`.
         */
        delete: operations["deleteSavedSearch"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/merchantaccounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List merchant accounts
         * @description In the order of their ids. They are the same for live and for test data.
         *
         *     Scope: `merchant-accounts:read`.
         */
        get: operations["listMerchantAccounts"];
        put?: never;
        /**
         * Open a merchant account
         * @description The id is given by the ledger. What is left out is empty, zero, false or without limit; both networks are enabled. Under an Idempotency-Key one account is opened, however often the request is sent.
         *
         *     Scope: `merchant-accounts:write`. Activity: `merchantAccounts.open`.
         */
        post: operations["openMerchantAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/merchantaccounts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a merchant account
         * @description Secrets of the gateway are masked. What is read can be sent back by PUT.
         *
         *     Scope: `merchant-accounts:read`.
         */
        get: operations["getMerchantAccount"];
        /**
         * Replace a merchant account
         * @description All of it: what is left out takes its default. `rowVersion` or `If-Match` says which version is replaced; of two who saw the same one only the first succeeds. Payments made before keep the terms that they were made on.
         *
         *     Scope: `merchant-accounts:write`. Activity: `merchantAccounts.replace`.
         */
        put: operations["replaceMerchantAccount"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a part of a merchant account
         * @description A JSON merge patch (RFC 7396): members that are named are changed, null resets one to its default, `currencies` is replaced as a whole, but for secrets that it does not name. With `rowVersion` or `If-Match` only that version is changed.
         *
         *     Scope: `merchant-accounts:write`. Activity: `merchantAccounts.amend`.
         */
        patch: operations["amendMerchantAccount"];
        trace?: never;
    };
    "/api/admin/merchantaccounts/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open many merchant accounts
         * @description At most 1000 lines: CSV with a header (`text/csv`), a JSON object a line (`application/x-ndjson`), or an array. The columns are the fields of a merchant account; `currencies` has codes with semicolons between them (without it, the default currency), and `apiKey`, `username`, `password` and `emailAddress` hold for all of them. An empty cell is absent; a column that is not known is refused. Each line is opened or refused by itself, unless `atomic` is true. Under an Idempotency-Key each line is opened once: after a failure in the middle, the same request opens the rest.
         *
         *     Scope: `merchant-accounts:write`. Activity: `merchantAccounts.batch`.
         */
        post: operations["openMerchantAccounts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List payments
         * @description Payments by the filters of the transaction search, the newest first. A list is a name repeated or its elements joined by commas, 250 at most; with longer ones search by POST /api/transactions/search. Without any filter: the last 30 days.
         *
         *     Scope: `payments:read`.
         */
        get: operations["listPayments"];
        put?: never;
        /**
         * Create a payment
         * @description Takes the money, or with `capture: false` only authorizes it. The answer comes when the outcome is durable. The subscriptions of `subscription` and of the items (two at most) have their ids at once and start with the capture; a payment that is declined starts none.
         *
         *     Scope: `payments:write`. Activity: `payments.submit`.
         */
        post: operations["createPayment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/card/submit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Submit a card
         * @description Takes the money, or with `capture: false` only authorizes it. The answer comes when the outcome is durable. The subscriptions of `subscription` and of the items (two at most) have their ids at once and start with the capture; a payment that is declined starts none.
         *
         *     Scope: `payments:write`. Activity: `payments.submit`.
         */
        post: operations["submitCard"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payments/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a payment
         * @description The payment with its attempts and refunds, as the ledger has it at this moment.
         *
         *     Scope: `payments:read`.
         */
        get: operations["getPayment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payments/{id}/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Go on after the customer acted
         * @description For a payment in RequiresAction, once the customer did what `nextAction` asked.
         *
         *     Scope: `payments:write`. Activity: `payments.confirm`.
         */
        post: operations["confirmPayment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payments/{id}/capture": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Capture an authorization
         * @description Takes the authorized amount or a part of it, once; the rest is released.
         *
         *     Scope: `payments:write`. Activity: `payments.capture`.
         */
        post: operations["capturePayment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payments/{id}/void": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Void a payment
         * @description Gives up an authorization, or a capture that is not settled yet.
         *
         *     Scope: `payments:write`. Activity: `payments.void`.
         */
        post: operations["voidPayment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payments/{id}/refund": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Refund a payment
         * @description Gives back the remaining balance, or a part of it.
         *
         *     Scope: `transactions:refund`. Activity: `payments.refund`.
         */
        post: operations["refundPayment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/checkout-sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open a checkout session
         * @description What is sold, to whom and at which price, for a page to take the card of: the page cannot choose any of it. Give `clientSecret` to the page of this buyer. The order is checked like that of a payment; its card and its account are looked at when the page pays. The same `Idempotency-Key` gives the same session.
         *
         *     Scope: `payments:write`. Activity: `checkoutSessions.open`.
         */
        post: operations["createCheckoutSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/checkout-sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a checkout session
         * @description The session as it is at this moment. Ask here, from the server, whether it is paid: what a page says is no proof.
         *
         *     Scope: `payments:read`.
         */
        get: operations["getCheckoutSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/public/checkout-sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Show a checkout session to its page
         * @description What the page of the buyer may see of the session, by `X-Service-Payment-Key` with a publishable key of the application, from an origin that the key allows, and by the secret of the session. A POST, so that the secret stands in no address.
         */
        post: operations["showCheckoutSession"];
        delete?: never;
        /**
         * Ask whether a page may call this
         * @description What browsers ask first (CORS): answered for every origin that a publishable key allows. The POST checks key and origin together.
         */
        options: operations["preflightShowCheckout"];
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/public/checkout-sessions/{id}/pay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pay a checkout session with a card
         * @description Submits a card, or what the gateway's own script made of one, at the price of the session. A session is paid once, however often and from wherever this is asked. After a decline another card may be tried, 10 in all; none is while another is under way.
         *
         *     Activity: `checkoutSessions.pay`.
         */
        post: operations["payCheckoutSession"];
        delete?: never;
        /**
         * Ask whether a page may call this
         * @description What browsers ask first (CORS): answered for every origin that a publishable key allows. The POST checks key and origin together.
         */
        options: operations["preflightPayCheckout"];
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/public/checkout-sessions/{id}/action": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Go on after the buyer acted, or gave up
         * @description For a session whose payment waits for `nextAction`, such as 3-D Secure. Where none waits, the answer is the session as it is.
         *
         *     Activity: `checkoutSessions.conclude`.
         */
        post: operations["concludeCheckoutAction"];
        delete?: never;
        /**
         * Ask whether a page may call this
         * @description What browsers ask first (CORS): answered for every origin that a publishable key allows. The POST checks key and origin together.
         */
        options: operations["preflightActionCheckout"];
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/subscriptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List subscriptions
         * @description All that ever started, the newest first, ended ones among them. All filters that are given must hold.
         *
         *     Scope: `subscriptions:read`.
         */
        get: operations["listSubscriptions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/subscriptions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a subscription
         * @description The subscription as its events have it at this moment, with the names of the company and the merchant account as they are now.
         *
         *     Scope: `subscriptions:read`.
         */
        get: operations["getSubscription"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/subscriptions/{id}/schedule": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What will be charged, and when
         * @description The charges to come by the plan as it is now, and what happens if the next of them is declined, by the dunning settings of the tenant. A charge that is due is made within seconds of its date.
         *
         *     Scope: `subscriptions:read`.
         */
        get: operations["getSubscriptionSchedule"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/customers/{id}/subscriptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The subscriptions of a customer
         * @description All that the customer ever had, the newest first, unsubscribed ones among them.
         *
         *     Scope: `subscriptions:read`. Activity: `subscriptions.ofCustomer`.
         */
        get: operations["listCustomerSubscriptions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/subscriptions/{id}/freeze": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Freeze a subscription
         * @description Stops billing until it is unfrozen; a new card alone does not unfreeze it. No effect on a frozen subscription.
         *
         *     Scope: `subscriptions:freeze`. Activity: `subscriptions.freeze`.
         */
        post: operations["freezeSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/subscriptions/{id}/unfreeze": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Unfreeze a subscription
         * @description Resumes billing at its next regular date; charges that fell due while it was frozen are skipped.
         *
         *     Scope: `subscriptions:freeze`. Activity: `subscriptions.unfreeze`.
         */
        post: operations["unfreezeSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/subscriptions/{id}/unsubscribe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End a subscription
         * @description Ends it for good. Ended already, it stays as it is.
         *
         *     Scope: `subscriptions:unsubscribe`. Activity: `subscriptions.unsubscribe`.
         */
        post: operations["endSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/subscriptions/{id}/card": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Bill another card
         * @description Later charges go to this card. A subscription that was frozen because its charges failed is unfrozen, and the present cycle is charged within seconds; what an administrator froze stays frozen.
         *
         *     Scope: `subscriptions:write`. Activity: `subscriptions.changeCard`.
         */
        post: operations["changeSubscriptionCard"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/subscriptions/{id}/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change the plan
         * @description Holds from the next charge on, which keeps its date; the ones after it follow by `frequency` or `interval`. Another interval of the calendar keeps the day of the month. The amount is in the currency of the subscription.
         *
         *     Scope: `subscriptions:write`. Activity: `subscriptions.changePlan`.
         */
        post: operations["changeSubscriptionPlan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mitigation/transactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List transactions
         * @description The transactions search, the newest first, with the fields that mitigation needs. All filters must hold; of an array, one element. Without any filter: the last 30 days.
         *
         *     Scope: `mitigation:read`.
         */
        post: operations["listMitigationTransactions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mitigation/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Search transactions and disputes
         * @description At most 100 transactions, the newest first, with what became of them. All filters must hold. Needed is `email`, `orderId`, `arn`, `authCode`, `bin` with `last4`, `mid` with `amount`, or `amount` with `dateFrom` and `dateTo`.
         *
         *     Scope: `mitigation:read`.
         */
        post: operations["searchMitigation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mitigation/chargebacks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report a chargeback
         * @description By an API key; or without one, signed as Standard Webhooks with the secret of the provider, and `clientId` in the query. The payment is named by at least one of `transactionId`, `gatewayTransactionId`, `arn` and `orderId`. The same reference again changes nothing, in whatever order reports come. What matches no payment is kept (202), shown in the queue of disputes, and looked for again for 30 days.
         *
         *     Scope: `mitigation:write`. Activity: `disputes.reportChargeback`.
         */
        post: operations["reportChargeback"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mitigation/alerts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report an alert
         * @description By an API key; or without one, signed as Standard Webhooks with the secret of the provider, and `clientId` in the query. The payment is named by at least one of `transactionId`, `gatewayTransactionId`, `arn` and `orderId`. The same reference again changes nothing, in whatever order reports come. What matches no payment is kept (202), shown in the queue of disputes, and looked for again for 30 days.
         *
         *     Scope: `mitigation:write`. Activity: `disputes.reportAlert`.
         */
        post: operations["reportAlert"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/disputes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List disputes
         * @description Chargebacks that took money which had been given back come first, whatever is asked for by date; then the nearest deadline. Without `status`: those that wait for something (`Unmatched`, `ChargebackOpen`, `ChargebackUnderReview`, `AlertOpen`).
         *
         *     Scope: `disputes:read`.
         */
        get: operations["listDisputes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/disputes/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a dispute
         * @description A chargeback or alert with its evidence.
         *
         *     Scope: `disputes:read`.
         */
        get: operations["getDispute"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/disputes/{id}/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept a chargeback
         * @description The money is given up.
         *
         *     Scope: `disputes:write`. Activity: `disputes.accept`.
         */
        post: operations["acceptDispute"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/disputes/{id}/refund": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Refund an alert
         * @description Gives the amount of the alert back, by the same rule as every refund; the alert is resolved once that is paid. Repeated, it is the same refund.
         *
         *     Scope: `disputes:write`. Activity: `disputes.refund`.
         */
        post: operations["refundDispute"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/disputes/{id}/decline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decline an alert
         * @description The money is kept; a chargeback may follow.
         *
         *     Scope: `disputes:write`. Activity: `disputes.decline`.
         */
        post: operations["declineDispute"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/disputes/{id}/represent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Represent a chargeback
         * @description Hands in evidence: fields, and files that were kept before; at least one of them, for it is handed in once. Where the chargeback took money that had been given back, the refunds are added by themselves.
         *
         *     Scope: `disputes:write`. Activity: `disputes.represent`.
         */
        post: operations["representDispute"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/disputes/{id}/match": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Match a report
         * @description Says which payment a report is about that matched none by itself.
         *
         *     Scope: `disputes:write`. Activity: `disputes.match`.
         */
        post: operations["matchDispute"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/disputes/{id}/evidence": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Keep a file of evidence
         * @description A PDF, PNG, JPEG or TIFF, or plain text in UTF-8: what it is is seen by its first bytes. At most 5 MiB, and 20 files a dispute. The same content again is the same file.
         *
         *     Scope: `disputes:write`. Activity: `disputes.keepEvidence`.
         */
        post: operations["keepDisputeEvidence"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/disputes/{id}/evidence/{digest}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a file of evidence
         * @description The content, with its own media type.
         *
         *     Scope: `disputes:read`. Activity: `disputes.evidence`.
         */
        get: operations["getDisputeEvidence"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gateways/{gateway}/{merchantAccountId}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take in an event of a gateway
         * @description Signed by the gateway with a secret in the credentials of the merchant account, with `clientId` in the query; or by an API key. What the event names is read at the gateway, and recorded as it stands there: refunds that failed later, disputes, fraud warnings. In any order, and any number of times. Events that never came are asked for every ten minutes. Where the gateway cannot be asked the answer is an error, and it has to send the event again.
         *
         *     Scope: `gateway-events:write`. Activity: `gatewayEvents.take`.
         */
        post: operations["takeGatewayEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/blacklist": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List entries of the black list
         * @description Newest first. What has expired is listed until it is removed.
         *
         *     Scope: `blacklist:read`.
         */
        get: operations["listBlackListEntries"];
        put?: never;
        /**
         * Create an entry of the black list
         * @description The next payment with this value is answered 402 with the status Blocked, on every host, and no gateway is asked. The same value again is the same entry. A rebill is blocked by an email, a card fingerprint or a customer, and its subscription is frozen.
         *
         *     Scope: `blacklist:write`. Activity: `blackList.add`.
         */
        post: operations["createBlackListEntry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/blacklist/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an entry of the black list
         * @description As the events have it at this moment.
         *
         *     Scope: `blacklist:read`.
         */
        get: operations["getBlackListEntry"];
        put?: never;
        post?: never;
        /**
         * Remove an entry of the black list
         * @description Payments with the value are taken again. The answer shows it as it was.
         *
         *     Scope: `blacklist:write`. Activity: `blackList.remove`.
         */
        delete: operations["deleteBlackListEntry"];
        options?: never;
        head?: never;
        /**
         * Change an entry of the black list
         * @description A JSON merge patch (RFC 7396) of reason and expiry.
         *
         *     Scope: `blacklist:write`. Activity: `blackList.change`.
         */
        patch: operations["changeBlackListEntry"];
        trace?: never;
    };
    "/api/ledger/trial-balance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Trial balance
         * @description Debits and credits of every account, by currency. They are equal after every event.
         *
         *     Scope: `ledger:read`.
         */
        get: operations["getTrialBalance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ledger/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Ledger accounts
         * @description The balance of each account of each merchant account and currency.
         *
         *     Scope: `ledger:read`.
         */
        get: operations["listLedgerAccounts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ledger/entries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Entries of an account
         * @description What each journal entry posted to an account, with the payment that it is of, the newest first. All pages without days add up to the balance of the account.
         *
         *     Scope: `ledger:read`.
         */
        get: operations["listLedgerEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ledger/statements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Statement of a merchant account
         * @description What a month (GMT) posted to the books of a merchant account, from its opening to its closing balance: the sum of its journal entries. An entry belongs to the month in which its event happened. With `Accept: text/csv` a row for each amount: `merchantAccountId,month,currency,item,amount`.
         *
         *     Scope: `ledger:read`. Activity: `books.statement`.
         */
        get: operations["getStatement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ledger/dispute-rates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Dispute rates
         * @description Chargebacks over captures by merchant account and month (GMT), by count and by amount, beside the thresholds of the setting `disputeThresholds`. Each belongs to the month in which it was booked, as in statements. With `Accept: text/csv` a row for each currency of a month.
         *
         *     Scope: `ledger:read`.
         */
        get: operations["getDisputeRates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/settlements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List imports of settlement files
         * @description The newest first.
         *
         *     Scope: `settlements:read`.
         */
        get: operations["listSettlements"];
        put?: never;
        /**
         * Import a settlement file
         * @description A CSV file in UTF-8 with a header. Columns in any order: `reference` (of the line, unique in the account), `kind` (`capture`, `refund`, `chargeback`, `reversal` of a chargeback, `reserve` for a part of the reserve that was released, `fee`), `gatewayTransactionId` or `arn`, `amount` (positive, before fees and reserve), `currency`, `fee` (what the acquirer kept of it; 0 when absent), `settledDate` (`yyyy-mm-dd`). A line that agrees with the books is booked: debit bank, credit acquirer receivable; what the acquirer takes back, the reverse. Everything else is a difference, listed under `/unmatched`. A line is booked once, however often and in whatever order it is imported: repeat an import that was cut off.
         *
         *     Scope: `settlements:write`. Activity: `settlements.import`.
         */
        post: operations["importSettlement"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/settlements/payouts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Settle the payouts of a gateway
         * @description Reads what the gateway of a merchant account has paid out, and books its lines as those of a file, each payout as an import with its id as the name. Once, however often it is done: an import that was cut off is completed. The host does it every six hours too. Refused (400) for an account whose gateway says no payouts, as the sandbox does not: on the demo, which has no other gateway, the sample is refused.
         *
         *     Scope: `settlements:write`. Activity: `settlements.settle`.
         */
        post: operations["settlePayouts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/settlements/unmatched": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what is unmatched
         * @description Every difference between a settlement file and the books that no later line has resolved, the oldest first.
         *
         *     Scope: `settlements:read`.
         */
        get: operations["listUnmatchedSettlements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/settlements/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an import of a settlement file
         * @description What the file came to.
         *
         *     Scope: `settlements:read`.
         */
        get: operations["getSettlement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ledger/recurring": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Recurring revenue and churn
         * @description What subscriptions brought in, and who joined, froze and left, month by month in GMT. What an event belongs to is the month in which it happened; the present month is as far as it has come.
         *
         *     Scope: `ledger:read`.
         */
        get: operations["getRecurringRevenue"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ledger/sales": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sales by hour, day or month
         * @description What was captured, refunded, charged back and declined, as the books have it: each in the period in which it was booked, GMT. At most 14 days by hour and 400 by day.
         *
         *     Scope: `ledger:read`.
         */
        get: operations["getSales"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/widget/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The script of the widget
         * @description `v1.js` is the present script, cached for five minutes. Names with a hash never change their content, and are cached for a year.
         */
        get: operations["getWidgetFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/widget/v1.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The address of the present script, and its integrity
         * @description What a script element needs to load this script or none, beside `crossorigin="anonymous"`.
         */
        get: operations["getWidgetAddress"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/widget/pages/frame": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The card form of the widget
         * @description The document of the frame, which a page of this origin alone may show: the origin must be one of the key. Where no merchant account of the session takes typed cards, the form is that of the gateway's own script, which the policy of this document then admits.
         */
        get: operations["getCardFrame"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/widget/pages/challenge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The 3-D Secure page of the sandbox
         * @description Where the sandbox sends buyers. With `done=true` it tells the card form that the buyer is back: pages of banks lead there at their end.
         */
        get: operations["getChallengePage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/public/customer-leads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create or update a lead
         * @description From a page by `X-Service-Lead-Key` with a publishable key, from an origin that the key allows, exactly; from a server by `Authorization: Bearer` with a secret key. The first request with a `session_id` makes the lead (201), later ones update it (200): what they leave out stays. A payment that is captured with the session as its `partnerSession`, by the same application and in the same environment, makes the lead paid, if one comes within 30 days of the other. Unknown members are ignored. A page is answered with what it has sent, not with what is known besides.
         *
         *     Activity: `leads.write`.
         */
        post: operations["writeCustomerLead"];
        delete?: never;
        /**
         * Ask whether a page may write leads
         * @description What browsers ask before they send a lead from another origin (CORS): answered for every origin that a publishable key allows. The POST checks key and origin together.
         */
        options: operations["preflightCustomerLead"];
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/leads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List or export leads
         * @description Leads by what the query asks for, the newest first. With `Accept: text/csv` all of them, 10000 in a file: `Link` with `rel="next"` leads to the next file.
         *
         *     Scope: `leads:read`. Activity: `leads.list`.
         */
        get: operations["listLeads"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/transactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take in a payment of another gateway
         * @description By an API key; or without one, signed as Standard Webhooks with the secret of the source, and `clientId` in the query. A captured payment makes the lead of its session paid, as one of the ledger does, if one comes within 30 days of the other. It is not booked. An event counts once, however often it is delivered.
         *
         *     Scope: `leads:write`. Activity: `leads.reportTransaction`.
         */
        post: operations["receiveTransaction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List emails
         * @description Emails by what the query asks for, the newest first: those that were submitted, and those that the ledger mails by itself. A live key lists live ones, a test key those of the sandbox.
         */
        get: operations["listEmails"];
        put?: never;
        /**
         * Send an email
         * @description Accepted durably, and sent soon after. A repetition of the same content, or under the same `idempotencyKey`, within 7 days is answered with the first email (`deduplicated`) and sends nothing. A temporary refusal of the mail server is tried again after 1 min, 5 min, 30 min, 2 h and 8 h; a permanent one fails the email and suppresses the address.
         *
         *     Activity: `mails.submit`.
         */
        post: operations["sendEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/email/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send several emails
         * @description At most 100, each accepted or refused by itself: the answer has a result for each, in order.
         *
         *     Activity: `mails.submitBatch`.
         */
        post: operations["sendEmails"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/email/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Render an email
         * @description Renders both parts as they would be sent. Nothing is sent or kept, and the sender is not checked.
         */
        post: operations["previewEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/email/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an email and its history
         * @description Its status, and each try with the words of the server. Kept for 90 days after it has ended; of one whose person was erased only the status is left.
         */
        get: operations["getEmail"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/email/{id}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send an email again
         * @description One that was sent or has failed, as a new email with an id and a history of its own (`resentFrom`). What the ledger mails by itself is written again from its event; of one that was submitted what it said is kept where it failed, or was handed to no server. Under an Idempotency-Key it is sent once.
         *
         *     Activity: `mails.resend`.
         */
        post: operations["resendEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API keys
         * @description All keys, revoked and expired ones among them, in the order of their ids, which is that of time.
         *
         *     Scope: `keys:read`.
         */
        get: operations["listKeys"];
        put?: never;
        /**
         * Create an API key
         * @description `key` is in this answer only: the host keeps a digest. An `Idempotency-Key` is not honoured, so the answer is not kept either; a repetition makes another key. A key with `keys:write` can make keys of any scope.
         *
         *     Scope: `keys:write`. Activity: `keys.create`.
         */
        post: operations["createKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an API key
         * @description A key by its id. The key itself is never shown again.
         *
         *     Scope: `keys:read`.
         */
        get: operations["getKey"];
        put?: never;
        post?: never;
        /**
         * Revoke a key
         * @description At once, on every host. It stays in the list. Revoking again changes nothing.
         *
         *     Scope: `keys:write`. Activity: `keys.revoke`.
         */
        delete: operations["deleteKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/keys/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate a key
         * @description Makes a successor with the same rights, which is the item of the answer. The old key ends after the overlap.
         *
         *     Scope: `keys:write`. Activity: `keys.rotate`.
         */
        post: operations["rotateKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/permissions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List permissions
         * @description The scopes that keys may have, each with what it permits.
         *
         *     Scope: `keys:read`.
         */
        get: operations["listPermissions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/leadkeys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List lead keys
         * @description All lead keys, revoked ones among them, in the order of their ids, which is that of time.
         *
         *     Scope: `keys:read`.
         */
        get: operations["listLeadKeys"];
        put?: never;
        /**
         * Create a lead key
         * @description A publishable key for pages of the allowed origins, and a secret one for servers, both for one application and one environment. They are in this answer only; an `Idempotency-Key` is not honoured.
         *
         *     Scope: `keys:write`. Activity: `keys.createLeadKey`.
         */
        post: operations["createLeadKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/leadkeys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a lead key
         * @description A lead key by its id. The keys themselves are never shown again.
         *
         *     Scope: `keys:read`.
         */
        get: operations["getLeadKey"];
        put?: never;
        post?: never;
        /**
         * Revoke a lead key
         * @description Both keys, at once, on every host. Revoking again changes nothing.
         *
         *     Scope: `keys:write`. Activity: `keys.revokeLeadKey`.
         */
        delete: operations["deleteLeadKey"];
        options?: never;
        head?: never;
        /**
         * Change a lead key
         * @description A JSON merge patch (RFC 7396) of the label and the allowed origins.
         *
         *     Scope: `keys:write`. Activity: `keys.changeLeadKey`.
         */
        patch: operations["changeLeadKey"];
        trace?: never;
    };
    "/api/admin/leadkeys/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate a lead key
         * @description Makes successors of both keys, under the same id. The old keys end after the overlap.
         *
         *     Scope: `keys:write`. Activity: `keys.rotateLeadKey`.
         */
        post: operations["rotateLeadKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/senderdomains": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sender domains
         * @description The domains that mail may be sent from, by their ids.
         *
         *     Scope: `senderdomains:read`.
         */
        get: operations["listSenderDomains"];
        put?: never;
        /**
         * Create a sender domain
         * @description Mail may be sent from its addresses, and with `includeSubdomains` from those of the domains below it. A domain below it that is here itself decides for itself.
         *
         *     Scope: `senderdomains:write`. Activity: `senderDomains.create`.
         */
        post: operations["createSenderDomain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/senderdomains/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a sender domain
         * @description A sender domain by its id. The private key is masked.
         *
         *     Scope: `senderdomains:read`.
         */
        get: operations["getSenderDomain"];
        put?: never;
        post?: never;
        /**
         * Remove a sender domain
         * @description Mails from it are refused from now on. The answer has it as it was.
         *
         *     Scope: `senderdomains:write`. Activity: `senderDomains.remove`.
         */
        delete: operations["deleteSenderDomain"];
        options?: never;
        head?: never;
        /**
         * Change a sender domain
         * @description A JSON merge patch (RFC 7396); null takes the selector or the key away, which go together. It is in force at once, on every host.
         *
         *     Scope: `senderdomains:write`. Activity: `senderDomains.change`.
         */
        patch: operations["changeSenderDomain"];
        trace?: never;
    };
    "/api/admin/suppressions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List suppressions
         * @description The addresses that emails are not sent to, by their ids.
         *
         *     Scope: `mails:read`.
         */
        get: operations["listSuppressions"];
        put?: never;
        /**
         * Create a suppression
         * @description Emails to it fail from now on, with the reason `suppressed`. An address that is there stays as it is.
         *
         *     Scope: `mails:write`. Activity: `suppressions.create`.
         */
        post: operations["createSuppression"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/suppressions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a suppression
         * @description A suppression by its id.
         *
         *     Scope: `mails:read`.
         */
        get: operations["getSuppression"];
        put?: never;
        post?: never;
        /**
         * Remove a suppression
         * @description Emails to it are sent again. The answer has it as it was.
         *
         *     Scope: `mails:write`. Activity: `suppressions.remove`.
         */
        delete: operations["deleteSuppression"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/mailsettings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the settings of mails
         * @description Sender, mail server, tracking, language and texts. The password is masked.
         *
         *     Scope: `mails:read`.
         */
        get: operations["getMailSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the settings of mails
         * @description A JSON merge patch (RFC 7396): what it leaves out stays as it is, and null resets it.
         *
         *     Scope: `mails:write`. Activity: `mailSettings.change`.
         */
        patch: operations["changeMailSettings"];
        trace?: never;
    };
    "/api/admin/mailsettings/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Render a mail of the ledger with sample values
         * @description With a text of your own, the one that is sent now, or the built-in one. Nothing is sent or kept.
         *
         *     Scope: `mails:read`.
         */
        post: operations["previewMailText"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/webhookendpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhook endpoints
         * @description Webhook endpoints by their ids, those of one direction or all.
         *
         *     Scope: `webhooks:read`.
         */
        get: operations["listWebhookEndpoints"];
        put?: never;
        /**
         * Create a webhook endpoint
         * @description With `direction=out`, the default, events are sent to `url`. With `direction=in`, messages of `source` are taken: reports of disputes (`provider` there is the source), and transactions of another gateway. `signingSecret` is in this answer only; an `Idempotency-Key` is not honoured.
         *
         *     Scope: `webhooks:write`. Activity: `webhookEndpoints.create`.
         */
        post: operations["createWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/webhookendpoints/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a webhook endpoint
         * @description A webhook endpoint by its id. The secret is never shown again.
         *
         *     Scope: `webhooks:read`.
         */
        get: operations["getWebhookEndpoint"];
        put?: never;
        post?: never;
        /**
         * Remove a webhook endpoint
         * @description From now on nothing is sent to it, or taken from it. The answer has it as it was.
         *
         *     Scope: `webhooks:write`. Activity: `webhookEndpoints.remove`.
         */
        delete: operations["deleteWebhookEndpoint"];
        options?: never;
        head?: never;
        /**
         * Change a webhook endpoint
         * @description A JSON merge patch (RFC 7396): null resets a member to its default. It is in force at once, on every host.
         *
         *     Scope: `webhooks:write`. Activity: `webhookEndpoints.change`.
         */
        patch: operations["changeWebhookEndpoint"];
        trace?: never;
    };
    "/api/admin/webhookendpoints/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the secret of a webhook endpoint
         * @description Until the overlap ends, what is sent carries the signatures of both secrets, and messages may be signed with either. The secret before the one that is replaced ends at once.
         *
         *     Scope: `webhooks:write`. Activity: `webhookEndpoints.rotate`.
         */
        post: operations["rotateWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/webhookendpoints/{id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a webhook endpoint
         * @description What happens meanwhile is kept and sent once it is resumed.
         *
         *     Scope: `webhooks:write`. Activity: `webhookEndpoints.pause`.
         */
        post: operations["pauseWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/webhookendpoints/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a webhook endpoint
         * @description What has waited is sent. An endpoint that was disabled is active again: what was given up meanwhile can be replayed.
         *
         *     Scope: `webhooks:write`. Activity: `webhookEndpoints.resume`.
         */
        post: operations["resumeWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/webhookendpoints/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what was sent to a webhook endpoint
         * @description What was sent, or is to be, the newest event first. A delivery is removed some days after it has ended (`WEBHOOK_LOG_DAYS`).
         *
         *     Scope: `webhooks:read`.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/webhookendpoints/{id}/deliveries/{deliveryId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a webhook delivery
         * @description With its body, and time, status, duration and answer of each try.
         *
         *     Scope: `webhooks:read`.
         */
        get: operations["getWebhookDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/webhookendpoints/{id}/deliveries/{deliveryId}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a webhook again
         * @description At once, and with all its tries, whatever became of it before. It keeps its `webhook-id`. While it is being sent, nothing changes.
         *
         *     Scope: `webhooks:write`. Activity: `webhooks.replay`.
         */
        post: operations["replayWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/webhookendpoints/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send webhooks of a time again
         * @description What was sent to the endpoint and has ended, by default what was given up: at most 5,000, the oldest first.
         *
         *     Scope: `webhooks:write`. Activity: `webhooks.replayRange`.
         */
        post: operations["replayWebhooks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/webhookendpoints/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test to a webhook endpoint
         * @description A message of the type `webhook.test`, whatever the endpoint asks for.
         *
         *     Scope: `webhooks:write`. Activity: `webhooks.test`.
         */
        post: operations["testWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the settings
         * @description The settings of the tenant, of both environments.
         *
         *     Scope: `settings:read`.
         */
        get: operations["getSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the settings
         * @description A JSON merge patch (RFC 7396): what it leaves out stays as it is, and null resets a setting, a group of them or one of a group to its default.
         *
         *     Scope: `settings:write`. Activity: `settings.amend`.
         */
        patch: operations["changeSettings"];
        trace?: never;
    };
    "/api/admin/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List users
         * @description All users, disabled ones among them, in the order of their ids.
         *
         *     Scope: `users:read`.
         */
        get: operations["listUsers"];
        put?: never;
        /**
         * Create a user
         * @description An invited user may not act before a password is set with `token`. Where the host sends mails, it is mailed to the user; else it is in this answer only.
         *
         *     Scope: `users:write`. Activity: `users.invite`.
         */
        post: operations["createUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a user
         * @description A user by its id.
         *
         *     Scope: `users:read`.
         */
        get: operations["getUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a user
         * @description A JSON merge patch (RFC 7396) of name, roles and status. It is in force at once, on every host.
         *
         *     Scope: `users:write`. Activity: `users.change`.
         */
        patch: operations["changeUser"];
        trace?: never;
    };
    "/api/admin/users/{id}/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reset the password of a user
         * @description Makes a token that sets the password within 24 hours, once; those before are void. Where the host sends mails, it is mailed to the user. The password of before holds until then.
         *
         *     Scope: `users:write`. Activity: `users.reset`.
         */
        post: operations["resetUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List roles
         * @description Built-in roles and those of the tenant.
         *
         *     Scope: `users:read`.
         */
        get: operations["listRoles"];
        put?: never;
        /**
         * Create a role
         * @description A role is a set of scopes. Its name is that of no other role, whatever its case.
         *
         *     Scope: `users:write`. Activity: `users.createRole`.
         */
        post: operations["createRole"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/roles/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a role
         * @description A role by its id.
         *
         *     Scope: `users:read`.
         */
        get: operations["getRole"];
        /**
         * Replace a role
         * @description What its users may do changes at once.
         *
         *     Scope: `users:write`. Activity: `users.replaceRole`.
         */
        put: operations["replaceRole"];
        post?: never;
        /**
         * Remove a role
         * @description One that no user has.
         *
         *     Scope: `users:write`. Activity: `users.removeRole`.
         */
        delete: operations["deleteRole"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/activity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List activity
         * @description A record for each command, each one that was refused, and each read of a detail, of a customer and of a file, the newest first. Filters hold together. With `Accept: text/csv` or `application/x-ndjson` all records that match are one file, of any length: a row or a JSON object a line.
         *
         *     Scope: `activity:read`. Activity: `activity.export`.
         */
        get: operations["listActivity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/companies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List companies
         * @description All companies of the tenant, in the order of their ids.
         *
         *     Scope: `references:read`.
         */
        get: operations["listCompanies"];
        put?: never;
        /**
         * Create a company
         * @description Records name a company by its id. It is there for good: it can be changed, and not deleted.
         *
         *     Scope: `references:write`. Activity: `references.create`.
         */
        post: operations["createCompany"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/companies/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a company
         * @description As the events have it at this moment.
         *
         *     Scope: `references:read`.
         */
        get: operations["getCompany"];
        /**
         * Replace a company
         * @description Records of before show what it is now, too.
         *
         *     Scope: `references:write`. Activity: `references.replace`.
         */
        put: operations["replaceCompany"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a company
         * @description A JSON merge patch (RFC 7396): what it leaves out stays as it is.
         *
         *     Scope: `references:write`. Activity: `references.amend`.
         */
        patch: operations["changeCompany"];
        trace?: never;
    };
    "/api/admin/shops": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List shops
         * @description All shops of the tenant, in the order of their ids.
         *
         *     Scope: `references:read`.
         */
        get: operations["listShops"];
        put?: never;
        /**
         * Create a shop
         * @description Records name a shop by its id. It is there for good: it can be changed, and not deleted.
         *
         *     Scope: `references:write`. Activity: `references.create`.
         */
        post: operations["createShop"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/shops/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a shop
         * @description As the events have it at this moment.
         *
         *     Scope: `references:read`.
         */
        get: operations["getShop"];
        /**
         * Replace a shop
         * @description Records of before show what it is now, too.
         *
         *     Scope: `references:write`. Activity: `references.replace`.
         */
        put: operations["replaceShop"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a shop
         * @description A JSON merge patch (RFC 7396): what it leaves out stays as it is.
         *
         *     Scope: `references:write`. Activity: `references.amend`.
         */
        patch: operations["changeShop"];
        trace?: never;
    };
    "/api/admin/applications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List applications
         * @description All applications of the tenant, in the order of their ids.
         *
         *     Scope: `references:read`.
         */
        get: operations["listApplications"];
        put?: never;
        /**
         * Create an application
         * @description Records name an application by its id. It is there for good: it can be changed, and not deleted.
         *
         *     Scope: `references:write`. Activity: `references.create`.
         */
        post: operations["createApplication"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/applications/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an application
         * @description As the events have it at this moment.
         *
         *     Scope: `references:read`.
         */
        get: operations["getApplication"];
        /**
         * Replace an application
         * @description Records of before show what it is now, too.
         *
         *     Scope: `references:write`. Activity: `references.replace`.
         */
        put: operations["replaceApplication"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change an application
         * @description A JSON merge patch (RFC 7396): what it leaves out stays as it is.
         *
         *     Scope: `references:write`. Activity: `references.amend`.
         */
        patch: operations["changeApplication"];
        trace?: never;
    };
    "/api/admin/products": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List products
         * @description All products of the tenant, in the order of their ids.
         *
         *     Scope: `references:read`.
         */
        get: operations["listProducts"];
        put?: never;
        /**
         * Create a product
         * @description Records name a product by its id. It is there for good: it can be changed, and not deleted.
         *
         *     Scope: `references:write`. Activity: `references.create`.
         */
        post: operations["createProduct"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/products/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a product
         * @description As the events have it at this moment.
         *
         *     Scope: `references:read`.
         */
        get: operations["getProduct"];
        /**
         * Replace a product
         * @description Records of before show what it is now, too.
         *
         *     Scope: `references:write`. Activity: `references.replace`.
         */
        put: operations["replaceProduct"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a product
         * @description A JSON merge patch (RFC 7396): what it leaves out stays as it is.
         *
         *     Scope: `references:write`. Activity: `references.amend`.
         */
        patch: operations["changeProduct"];
        trace?: never;
    };
    "/api/admin/pricepoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List price points
         * @description All price points of the tenant, in the order of their ids.
         *
         *     Scope: `references:read`.
         */
        get: operations["listPricePoints"];
        put?: never;
        /**
         * Create a price point
         * @description Records name a price point by its id. It is there for good: it can be changed, and not deleted.
         *
         *     Scope: `references:write`. Activity: `references.create`.
         */
        post: operations["createPricePoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/pricepoints/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a price point
         * @description As the events have it at this moment.
         *
         *     Scope: `references:read`.
         */
        get: operations["getPricePoint"];
        /**
         * Replace a price point
         * @description Records of before show what it is now, too.
         *
         *     Scope: `references:write`. Activity: `references.replace`.
         */
        put: operations["replacePricePoint"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a price point
         * @description A JSON merge patch (RFC 7396): what it leaves out stays as it is.
         *
         *     Scope: `references:write`. Activity: `references.amend`.
         */
        patch: operations["changePricePoint"];
        trace?: never;
    };
    "/api/admin/campaigns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List campaigns
         * @description All campaigns of the tenant, in the order of their ids.
         *
         *     Scope: `references:read`.
         */
        get: operations["listCampaigns"];
        put?: never;
        /**
         * Create a campaign
         * @description Records name a campaign by its id. It is there for good: it can be changed, and not deleted.
         *
         *     Scope: `references:write`. Activity: `references.create`.
         */
        post: operations["createCampaign"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/campaigns/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a campaign
         * @description As the events have it at this moment.
         *
         *     Scope: `references:read`.
         */
        get: operations["getCampaign"];
        /**
         * Replace a campaign
         * @description Records of before show what it is now, too.
         *
         *     Scope: `references:write`. Activity: `references.replace`.
         */
        put: operations["replaceCampaign"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a campaign
         * @description A JSON merge patch (RFC 7396): what it leaves out stays as it is.
         *
         *     Scope: `references:write`. Activity: `references.amend`.
         */
        patch: operations["changeCampaign"];
        trace?: never;
    };
    "/api/admin/affiliates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List affiliates
         * @description All affiliates of the tenant, in the order of their ids.
         *
         *     Scope: `references:read`.
         */
        get: operations["listAffiliates"];
        put?: never;
        /**
         * Create an affiliate
         * @description Records name an affiliate by its id. It is there for good: it can be changed, and not deleted.
         *
         *     Scope: `references:write`. Activity: `references.create`.
         */
        post: operations["createAffiliate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/affiliates/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an affiliate
         * @description As the events have it at this moment.
         *
         *     Scope: `references:read`.
         */
        get: operations["getAffiliate"];
        /**
         * Replace an affiliate
         * @description Records of before show what it is now, too.
         *
         *     Scope: `references:write`. Activity: `references.replace`.
         */
        put: operations["replaceAffiliate"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change an affiliate
         * @description A JSON merge patch (RFC 7396): what it leaves out stays as it is.
         *
         *     Scope: `references:write`. Activity: `references.amend`.
         */
        patch: operations["changeAffiliate"];
        trace?: never;
    };
    "/v1/test/clock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the test clock
         * @description What time it is for everything that waits. Served with `TEST_CLOCK=1` only.
         *
         *     Scope: `clock:write`.
         */
        get: operations["getTestClock"];
        put?: never;
        /**
         * Move the test clock
         * @description Moves the clock of the host ahead, for all tenants, and answers when everything that became due on the way has been done. Moves go on when their caller has gone, and come one after the other. Served with `TEST_CLOCK=1` only.
         *
         *     Scope: `clock:write`. Activity: `clock.move`.
         */
        post: operations["moveTestClock"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/livez": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Is the process alive
         * @description Answers as long as the process can answer at all. A failure means: restart it.
         */
        get: operations["getLiveness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * May requests be sent here
         * @description Not ready until the read models show all that the log held at the start, while a check fails, and from the beginning of a shutdown.
         */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Figures for Prometheus
         * @description In the text format of Prometheus.
         */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This interface as an OpenAPI document
         * @description OpenAPI 3.1, made from the same schemas that check the requests.
         */
        get: operations["getOpenApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This reference
         * @description The interface for readers: every operation, field and error code.
         */
        get: operations["getReferencePage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This reference, at the root
         * @description The interface for readers: every operation, field and error code.
         */
        get: operations["getRoot"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The script of this reference
         * @description The name with a hash never changes its content, and is cached for a year.
         */
        get: operations["getReferenceScript"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        DetailRequest: {
            /**
             * Format: int64
             * @description The tenant id; equals ClientId
             */
            parentCompanyId: number;
            /**
             * Format: email
             * @description The requesting agent; equals the UserEmail header
             * @example ada@example.com
             */
            userEmail: string;
            /**
             * Format: uuid
             * @description The id of a payment, refund, chargeback or alert
             */
            id: string;
            /**
             * @description Include `transaction` and `routing`
             * @default false
             */
            getSearchData?: boolean;
            /**
             * @description Include `addressData` and `addresses`
             * @default false
             */
            getAddressData?: boolean;
            /**
             * @description Include `subscriptions`
             * @default false
             */
            getSubscription?: boolean;
            /**
             * @description Include `sessionData`
             * @default false
             */
            getSessionData?: boolean;
        };
        RefundRequest: {
            /**
             * Format: int64
             * @description The tenant id; equals ClientId
             */
            parentCompanyId: number;
            /**
             * Format: email
             * @description The requesting agent; equals the UserEmail header
             * @example ada@example.com
             */
            userEmail: string;
            /**
             * Format: uuid
             * @description The transaction id
             */
            messageId: string;
            /**
             * @description Mail the customer a confirmation, once the refund is done
             * @default false
             */
            sendUserCommunication?: boolean;
            /**
             * @description 0 or absent: the remaining balance
             * @default 0
             * @example 19.99
             */
            amount?: number;
            /** @description Ecommerce only. The amounts add up to `amount` */
            refundItems?: components["schemas"]["RefundItem"][];
        };
        /** @description Either an item, by its variant and quantity, or an adjustment */
        RefundItem: {
            /**
             * Format: int64
             * @description The variant that was bought
             */
            StorefrontVariantId?: number;
            /**
             * Format: int32
             * @description Required with StorefrontVariantId
             */
            Quantity?: number;
            /** @description Instead of StorefrontVariantId: what the order holds beyond its lines. Takes an Amount and nothing else */
            Adjustment?: components["schemas"]["RefundAdjustmentKind"];
            /**
             * @description Of an item at most what is left of its line; absent: the share of what was paid for it
             * @example 19.99
             */
            Amount?: number;
            /** @description true: the items go back into stock */
            Restock?: boolean;
        } & (unknown | unknown);
        /**
         * @description What of an order beyond its lines is given back
         * @enum {string}
         */
        RefundAdjustmentKind: "shipping" | "other";
        UnsubscribeRequest: {
            /**
             * Format: int64
             * @description The tenant id; equals ClientId
             */
            parentCompanyId: number;
            /**
             * Format: email
             * @description The requesting agent; equals the UserEmail header
             * @example ada@example.com
             */
            userEmail: string;
            /**
             * Format: email
             * @description The present email of the customer, or the one that the order was placed with: every subscription that ends is one of these
             * @example ada@example.com
             */
            email: string;
            /**
             * @description The orders that started the subscriptions, as text: "[1,2,3]"; at least one where the list is given
             * @example [1001, 1002]
             */
            orderIds?: string;
            /**
             * @description The subscriptions, in the same form. With both lists, what stands in either ends; without either, all of this email
             * @example [1000000001]
             */
            subscriberIds?: string;
            /**
             * @description Mail the customer a confirmation of each end
             * @default false
             */
            sendUserCommunication?: boolean;
            /** @description Absent: live data with a live key, test data with a test key */
            sandbox?: boolean;
        };
        CustomerRegistration: {
            /**
             * Format: int64
             * @description The tenant id; equals ClientId
             */
            parentCompanyId?: number;
            /**
             * Format: email
             * @description The agent; equals the UserEmail header
             * @example ada@example.com
             */
            userEmail?: string;
            /** @description Absent: live data with a live key, test data with a test key */
            sandbox?: boolean;
            /**
             * Format: email
             * @description Belongs to one customer at a time, whatever its case
             * @example ada@example.com
             */
            email: string;
            /**
             * @description The given name of the person
             * @default
             */
            firstName?: string;
            /**
             * @description The family name of the person
             * @default
             */
            lastName?: string;
            /**
             * @description The telephone number
             * @default
             */
            phone?: string;
            /**
             * @description The addresses; the first is the default
             * @default []
             */
            addresses?: components["schemas"]["AddressInput"][];
        };
        AddressInput: {
            /**
             * @description What the address is for
             * @default DEFAULT
             * @enum {string}
             */
            addressType?: "DEFAULT" | "SHIPPING";
            /**
             * Format: email
             * @description The email of the customer
             * @example ada@example.com
             */
            email?: string;
            /** @description The given name of the person */
            firstName?: string;
            /** @description The family name of the person */
            lastName?: string;
            /** @description Street and number */
            address?: string;
            /** @description The city, town or village */
            city?: string;
            /** @description The ZIP or postal code */
            postalCode?: string;
            /** @description The state of the US, or the region of another country */
            state?: string;
            /** @description Two-letter country code of ISO 3166 */
            countryCode?: string;
            /** @description The telephone number */
            phone?: string;
        };
        CustomerReplacement: {
            /**
             * Format: int64
             * @description The tenant id; equals ClientId
             */
            parentCompanyId?: number;
            /**
             * Format: email
             * @description The agent; equals the UserEmail header
             * @example ada@example.com
             */
            userEmail?: string;
            /** @description Absent: live data with a live key, test data with a test key */
            sandbox?: boolean;
            /**
             * Format: email
             * @description Belongs to one customer at a time, whatever its case
             * @example ada@example.com
             */
            email: string;
            /**
             * @description The given name of the person
             * @default
             */
            firstName?: string;
            /**
             * @description The family name of the person
             * @default
             */
            lastName?: string;
            /**
             * @description The telephone number
             * @default
             */
            phone?: string;
            /**
             * @description The addresses; the first is the default
             * @default []
             */
            addresses?: components["schemas"]["AddressInput"][];
            /** @description Ignored: here so that what was read can be sent back */
            success?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            message?: unknown;
            /** @description Where it is given, that of the path */
            id?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            paymentMethods?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            createdAt?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            updatedAt?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            erased?: unknown;
            /**
             * Format: int64
             * @description Of the customer as it was read
             */
            rowVersion: number;
        };
        PaymentMethodInput: {
            /**
             * Format: int64
             * @description The tenant id; equals ClientId
             */
            parentCompanyId?: number;
            /**
             * Format: email
             * @description The agent; equals the UserEmail header
             * @example ada@example.com
             */
            userEmail?: string;
            /** @description Absent: live data with a live key, test data with a test key */
            sandbox?: boolean;
            card?: components["schemas"]["CardInput"];
            /** @description Of a card that this customer used before, instead of `card` */
            token?: string;
            /**
             * @description true: the one to use unless another is named
             * @default false
             */
            default?: boolean;
            /**
             * Format: int64
             * @description Whose gateway keeps the card; needed where there are several companies
             */
            companyId?: number;
        } & (unknown | unknown);
        /** @description Goes to the gateway and is kept nowhere */
        CardInput: {
            /**
             * @description The card number; spaces and hyphens may stand between the digits
             * @example 4242424242424242
             */
            number: string;
            /**
             * Format: int32
             * @description The month of expiry, from 1 to 12
             * @example 12
             */
            expMonth: number;
            /**
             * Format: int32
             * @description The year of expiry, with four digits
             * @example 2030
             */
            expYear: number;
            /**
             * @description The check digits of the card; kept nowhere
             * @example 123
             */
            cvv: string;
            /** @description The name on the card */
            holder?: string;
        };
        TransactionSearch: {
            /**
             * Format: int64
             * @description The tenant id; equals ClientId
             */
            parentCompanyId?: number;
            /**
             * Format: email
             * @description The agent; equals the UserEmail header
             * @example ada@example.com
             */
            userEmail?: string;
            /** @description Of any of these emails, in upper or lower case */
            emails?: string[];
            /** @description Of any of these orders */
            orderIds?: number[];
            /** @description Any of these transactions */
            transactionIds?: string[];
            /** @description With any of these ids at the gateway */
            gatewayTransactionIds?: string[];
            /**
             * @description The first six digits of the card, all that is stored
             * @example 424242
             */
            bin?: string;
            /** @description The last four digits of the card number */
            last4?: string;
            /** @description The given name of the person */
            firstName?: string;
            /** @description The family name of the person */
            lastName?: string;
            /** @description With any of these authorization codes */
            authCodes?: string[];
            /**
             * @description Currency code of ISO 4217
             * @example GBP
             */
            currency?: string;
            /**
             * Format: date
             * @description A day in GMT, included
             * @example 2010-12-01
             */
            dateFrom?: string;
            /**
             * Format: date
             * @description A day in GMT, included
             * @example 2010-12-01
             */
            dateTo?: string;
            /** @description A part of the descriptor, in upper or lower case */
            descriptorContains?: string;
            /** @description Absent: live data only */
            sandbox?: boolean;
            /** @description Made by any of these applications */
            applicationIds?: number[];
            /** @description Of any of these products */
            productIds?: number[];
            /** @description Of any of these campaigns */
            campaignIds?: number[];
            /** @description At any of these merchant accounts */
            merchantAccountIds?: number[];
            /** @description Of any of these companies */
            companyIds?: number[];
            /** @description The rebills of a subscription, and the payment that started it; one that started two is found by the first */
            subscriptionIds?: number[];
            /** @description Of any of these affiliates */
            affiliateIds?: number[];
            /** @description The `amount` of the record, matched exactly: what was captured, once anything is */
            amounts?: number[];
            /**
             * Format: int32
             * @description The page, counted from 1
             * @default 1
             */
            pageNumber?: number;
            /**
             * Format: int32
             * @description The most elements of a page
             * @default 10
             */
            limit?: number;
        };
        SavedSearchInput: {
            /**
             * @description Each once, in capital letters or not
             * @example Captured last week
             */
            name: string;
            search: components["schemas"]["SavedSearchFilters"];
        };
        /** @description Filters of `POST /api/transactions/search`, at most 40 values each. One that names a person, or a payment of one, is refused: email, name, last four digits, or an id of an order, a transaction, the gateway or a subscription */
        SavedSearchFilters: {
            /** @description Of any of these emails, in upper or lower case */
            emails?: string[];
            /** @description Of any of these orders */
            orderIds?: number[];
            /** @description Any of these transactions */
            transactionIds?: string[];
            /** @description With any of these ids at the gateway */
            gatewayTransactionIds?: string[];
            /**
             * @description The first six digits of the card, all that is stored
             * @example 424242
             */
            bin?: string;
            /** @description The last four digits of the card number */
            last4?: string;
            /** @description The given name of the person */
            firstName?: string;
            /** @description The family name of the person */
            lastName?: string;
            /** @description With any of these authorization codes */
            authCodes?: string[];
            /**
             * @description Currency code of ISO 4217
             * @example GBP
             */
            currency?: string;
            /**
             * Format: date
             * @description A day in GMT, included
             * @example 2010-12-01
             */
            dateFrom?: string;
            /**
             * Format: date
             * @description A day in GMT, included
             * @example 2010-12-01
             */
            dateTo?: string;
            /** @description A part of the descriptor, in upper or lower case */
            descriptorContains?: string;
            /** @description Made by any of these applications */
            applicationIds?: number[];
            /** @description Of any of these products */
            productIds?: number[];
            /** @description Of any of these campaigns */
            campaignIds?: number[];
            /** @description At any of these merchant accounts */
            merchantAccountIds?: number[];
            /** @description Of any of these companies */
            companyIds?: number[];
            /** @description The rebills of a subscription, and the payment that started it; one that started two is found by the first */
            subscriptionIds?: number[];
            /** @description Of any of these affiliates */
            affiliateIds?: number[];
            /** @description The `amount` of the record, matched exactly: what was captured, once anything is */
            amounts?: number[];
            /**
             * Format: int32
             * @description The last so many days, today among them; instead of `dateFrom` and `dateTo`
             */
            days?: number;
        };
        MerchantAccountInput: {
            /** @description The merchant id (MID) of the account at its acquirer */
            mid: string;
            /** @description The label of the account; a payment shows as `midName` what it was when the account was tried */
            title: string;
            /**
             * Format: int64
             * @description The company
             */
            companyId: number;
            /**
             * Format: int64
             * @description The gateway that payments are sent to
             */
            gatewayId: number;
            /** @description What the statement of the card shows */
            descriptor: string;
            /** @description The currency of fees, caps and the largest price; one of those that it holds */
            defaultCurrency: string;
            /** @description The currencies that it takes, each with the credentials for the gateway */
            currencies: components["schemas"]["MerchantAccountCurrencyInput"][];
            /** @description The merchant category code: four digits */
            mcc?: string;
            /** @description The agent who brought the account */
            agent?: string;
            /** @description The bank that pays the merchant out */
            acquiringBank?: string;
            /** @description The BIN of the acquirer at NetworkA */
            acquirerBINNetworkA?: string;
            /** @description The BIN of the acquirer at NetworkB */
            acquirerBINNetworkB?: string;
            /** @description The payment service provider */
            psp?: string;
            /** @description The routing number of the bank account that is paid into */
            routingNumber?: string;
            /** @description The number of the bank account that is paid into */
            accountNumber?: string;
            /** @description A short suffix to tell accounts apart */
            shorthandSuffix?: string;
            /** @description Whether the descriptor is built for each payment */
            dynamicDescriptorEnabled?: boolean;
            /**
             * Format: int32
             * @description What a built descriptor shows after its prefix: 0 nothing · 1 the order id · 2 the shop · 3 the product
             */
            dynamicDescriptorFormat?: number;
            /** @description How a built descriptor begins; empty: with `descriptor` */
            dynamicDescriptorPrefix?: string;
            /** @description The same for cards of NetworkB; empty: `dynamicDescriptorPrefix` */
            dynamicDescriptorPrefix_NetworkB?: string;
            /** @description Notes; may have several lines */
            notes?: string;
            /** @description The card acceptor id */
            caid?: string;
            /** @description Notes on chargeback mitigation; may have several lines */
            chargebackMitigationNotes?: string;
            /** @description Free for the merchant */
            merchantDefinedField1?: string;
            /** @description Free for the merchant */
            merchantDefinedField2?: string;
            /** @description Free for the merchant */
            merchantDefinedField3?: string;
            /** @description Free for the tenant */
            customField1?: string;
            /** @description Free for the tenant */
            customField2?: string;
            /** @description Free for the tenant */
            customField3?: string;
            /** @description Whether it takes cards of NetworkA; true unless said otherwise */
            enabledNetworkA?: boolean;
            /** @description Whether it takes cards of NetworkB; true unless said otherwise */
            enabledNetworkB?: boolean;
            /** @description Whether the account may take part in the premium program */
            allowPremiumProgram?: boolean;
            /** @description Whether the account is fully live at its acquirer */
            fullyLive?: boolean;
            /** @description Whether a soft decline is tried again at another account */
            allowRetriesFromOtherMids?: boolean;
            /** @description Whether rebills are tried again after insufficient funds */
            allowInsufficientFundsRetries?: boolean;
            /** @description Whether refunds are allowed after the refund window */
            forceAllowRefunds?: boolean;
            /**
             * Format: int32
             * @description The vertical; 0 when none was named
             */
            verticalId?: number;
            /**
             * Format: int32
             * @description The brand; 0 when none was named
             */
            brandId?: number;
            /**
             * Format: int32
             * @description The provider of chargeback mitigation; 0 when none was named
             */
            chargebackMitigationProviderId?: number;
            /**
             * Format: int32
             * @description The access to the portal of the processor; 0 when none was named
             */
            processorPortalAccessId?: number;
            /**
             * Format: int32
             * @description The owner of the merchant id; 0 when none was named
             */
            midOwnerId?: number;
            /** @description The largest single payment in `defaultCurrency`, in major units; null for no limit */
            maxPrice?: number | null;
            /** @description The most that is captured in a calendar month (GMT) in `defaultCurrency`, in major units; 0 for no cap */
            monthlyCap?: number;
            /** @description Held back of each capture, in per cent of it */
            reservePercentage?: number;
            /** @description The discount rate, in per cent of each capture */
            discountRatePercentage?: number;
            /** @description Of each try, in major units of `defaultCurrency` */
            gatewayTransactionFee?: number;
            /** @description Of each chargeback, in major units of `defaultCurrency` */
            chargebackFee?: number;
            /** @description Of each RDR case, in major units of `defaultCurrency` */
            rdrFee?: number;
            /** @description Of each alert of the provider, in major units of `defaultCurrency` */
            alertProviderFee?: number;
            /** @description Of each CDRN alert, in major units of `defaultCurrency` */
            cdrnFee?: number;
            /** @description Of each authorization, in major units of `defaultCurrency` */
            bankAuthFee?: number;
            /** @description Of each decline, in major units of `defaultCurrency` */
            bankDeclineFee?: number;
            /** @description Of each address check, in major units of `defaultCurrency` */
            bankAVSFee?: number;
            /** @description Of each try, in major units of `defaultCurrency` */
            customFee?: number;
            /** @description Of each approved try, in major units of `defaultCurrency` */
            customFeeApprovedOnly?: number;
            /** @description Where it is given, that of the path */
            id?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            parentCompanyId?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            parentCompany?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            company?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            gateway?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            vertical?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            brand?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            chargebackMitigationProvider?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            processorPortalAccess?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            capLimited?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            rowVersion?: unknown;
        };
        MerchantAccountCurrencyInput: {
            /**
             * @description Currency code of ISO 4217
             * @example GBP
             */
            currency: string;
            gatewayCredentials?: components["schemas"]["GatewayCredentials"];
        };
        /** @description Kept encrypted, and never shown. A masked secret, as it is shown, means the one that is kept; an empty or absent one removes it. */
        GatewayCredentials: {
            /**
             * @description A key of the gateway; masked when it is shown
             * @default
             */
            apiKey?: string;
            /**
             * @description A user name at the gateway; masked when it is shown
             * @default
             */
            username?: string;
            /**
             * @description A password at the gateway; masked when it is shown
             * @default
             */
            password?: string;
            /**
             * @description An email address at the gateway; masked when it is shown
             * @default
             */
            emailAddress?: string;
        };
        MerchantAccountReplacement: {
            /** @description The merchant id (MID) of the account at its acquirer */
            mid: string;
            /** @description The label of the account; a payment shows as `midName` what it was when the account was tried */
            title: string;
            /**
             * Format: int64
             * @description The company
             */
            companyId: number;
            /**
             * Format: int64
             * @description The gateway that payments are sent to
             */
            gatewayId: number;
            /** @description What the statement of the card shows */
            descriptor: string;
            /** @description The currency of fees, caps and the largest price; one of those that it holds */
            defaultCurrency: string;
            /** @description The currencies that it takes, each with the credentials for the gateway */
            currencies: components["schemas"]["MerchantAccountCurrencyInput"][];
            /** @description The merchant category code: four digits */
            mcc?: string;
            /** @description The agent who brought the account */
            agent?: string;
            /** @description The bank that pays the merchant out */
            acquiringBank?: string;
            /** @description The BIN of the acquirer at NetworkA */
            acquirerBINNetworkA?: string;
            /** @description The BIN of the acquirer at NetworkB */
            acquirerBINNetworkB?: string;
            /** @description The payment service provider */
            psp?: string;
            /** @description The routing number of the bank account that is paid into */
            routingNumber?: string;
            /** @description The number of the bank account that is paid into */
            accountNumber?: string;
            /** @description A short suffix to tell accounts apart */
            shorthandSuffix?: string;
            /** @description Whether the descriptor is built for each payment */
            dynamicDescriptorEnabled?: boolean;
            /**
             * Format: int32
             * @description What a built descriptor shows after its prefix: 0 nothing · 1 the order id · 2 the shop · 3 the product
             */
            dynamicDescriptorFormat?: number;
            /** @description How a built descriptor begins; empty: with `descriptor` */
            dynamicDescriptorPrefix?: string;
            /** @description The same for cards of NetworkB; empty: `dynamicDescriptorPrefix` */
            dynamicDescriptorPrefix_NetworkB?: string;
            /** @description Notes; may have several lines */
            notes?: string;
            /** @description The card acceptor id */
            caid?: string;
            /** @description Notes on chargeback mitigation; may have several lines */
            chargebackMitigationNotes?: string;
            /** @description Free for the merchant */
            merchantDefinedField1?: string;
            /** @description Free for the merchant */
            merchantDefinedField2?: string;
            /** @description Free for the merchant */
            merchantDefinedField3?: string;
            /** @description Free for the tenant */
            customField1?: string;
            /** @description Free for the tenant */
            customField2?: string;
            /** @description Free for the tenant */
            customField3?: string;
            /** @description Whether it takes cards of NetworkA; true unless said otherwise */
            enabledNetworkA?: boolean;
            /** @description Whether it takes cards of NetworkB; true unless said otherwise */
            enabledNetworkB?: boolean;
            /** @description Whether the account may take part in the premium program */
            allowPremiumProgram?: boolean;
            /** @description Whether the account is fully live at its acquirer */
            fullyLive?: boolean;
            /** @description Whether a soft decline is tried again at another account */
            allowRetriesFromOtherMids?: boolean;
            /** @description Whether rebills are tried again after insufficient funds */
            allowInsufficientFundsRetries?: boolean;
            /** @description Whether refunds are allowed after the refund window */
            forceAllowRefunds?: boolean;
            /**
             * Format: int32
             * @description The vertical; 0 when none was named
             */
            verticalId?: number;
            /**
             * Format: int32
             * @description The brand; 0 when none was named
             */
            brandId?: number;
            /**
             * Format: int32
             * @description The provider of chargeback mitigation; 0 when none was named
             */
            chargebackMitigationProviderId?: number;
            /**
             * Format: int32
             * @description The access to the portal of the processor; 0 when none was named
             */
            processorPortalAccessId?: number;
            /**
             * Format: int32
             * @description The owner of the merchant id; 0 when none was named
             */
            midOwnerId?: number;
            /** @description The largest single payment in `defaultCurrency`, in major units; null for no limit */
            maxPrice?: number | null;
            /** @description The most that is captured in a calendar month (GMT) in `defaultCurrency`, in major units; 0 for no cap */
            monthlyCap?: number;
            /** @description Held back of each capture, in per cent of it */
            reservePercentage?: number;
            /** @description The discount rate, in per cent of each capture */
            discountRatePercentage?: number;
            /** @description Of each try, in major units of `defaultCurrency` */
            gatewayTransactionFee?: number;
            /** @description Of each chargeback, in major units of `defaultCurrency` */
            chargebackFee?: number;
            /** @description Of each RDR case, in major units of `defaultCurrency` */
            rdrFee?: number;
            /** @description Of each alert of the provider, in major units of `defaultCurrency` */
            alertProviderFee?: number;
            /** @description Of each CDRN alert, in major units of `defaultCurrency` */
            cdrnFee?: number;
            /** @description Of each authorization, in major units of `defaultCurrency` */
            bankAuthFee?: number;
            /** @description Of each decline, in major units of `defaultCurrency` */
            bankDeclineFee?: number;
            /** @description Of each address check, in major units of `defaultCurrency` */
            bankAVSFee?: number;
            /** @description Of each try, in major units of `defaultCurrency` */
            customFee?: number;
            /** @description Of each approved try, in major units of `defaultCurrency` */
            customFeeApprovedOnly?: number;
            /** @description Where it is given, that of the path */
            id?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            parentCompanyId?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            parentCompany?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            company?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            gateway?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            vertical?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            brand?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            chargebackMitigationProvider?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            processorPortalAccess?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            capLimited?: unknown;
            /**
             * Format: int64
             * @description Of the item as it was read; it counts the changes, from 1
             */
            rowVersion?: number;
        };
        /** @description A JSON merge patch (RFC 7396): null resets an optional field to its default; `currencies` is replaced as a whole, but for secrets that it does not name */
        MerchantAccountPatch: {
            /** @description The merchant id (MID) of the account at its acquirer */
            mid?: string | null;
            /** @description The label of the account; a payment shows as `midName` what it was when the account was tried */
            title?: string | null;
            /**
             * Format: int64
             * @description The company
             */
            companyId?: number | null;
            /**
             * Format: int64
             * @description The gateway that payments are sent to
             */
            gatewayId?: number | null;
            /** @description What the statement of the card shows */
            descriptor?: string | null;
            /** @description The currency of fees, caps and the largest price; one of those that it holds */
            defaultCurrency?: string | null;
            /** @description The currencies that it takes, each with the credentials for the gateway */
            currencies?: components["schemas"]["MerchantAccountCurrencyPatch"][] | null;
            /** @description The merchant category code: four digits */
            mcc?: string | null;
            /** @description The agent who brought the account */
            agent?: string | null;
            /** @description The bank that pays the merchant out */
            acquiringBank?: string | null;
            /** @description The BIN of the acquirer at NetworkA */
            acquirerBINNetworkA?: string | null;
            /** @description The BIN of the acquirer at NetworkB */
            acquirerBINNetworkB?: string | null;
            /** @description The payment service provider */
            psp?: string | null;
            /** @description The routing number of the bank account that is paid into */
            routingNumber?: string | null;
            /** @description The number of the bank account that is paid into */
            accountNumber?: string | null;
            /** @description A short suffix to tell accounts apart */
            shorthandSuffix?: string | null;
            /** @description Whether the descriptor is built for each payment */
            dynamicDescriptorEnabled?: boolean | null;
            /**
             * Format: int32
             * @description What a built descriptor shows after its prefix: 0 nothing · 1 the order id · 2 the shop · 3 the product
             */
            dynamicDescriptorFormat?: number | null;
            /** @description How a built descriptor begins; empty: with `descriptor` */
            dynamicDescriptorPrefix?: string | null;
            /** @description The same for cards of NetworkB; empty: `dynamicDescriptorPrefix` */
            dynamicDescriptorPrefix_NetworkB?: string | null;
            /** @description Notes; may have several lines */
            notes?: string | null;
            /** @description The card acceptor id */
            caid?: string | null;
            /** @description Notes on chargeback mitigation; may have several lines */
            chargebackMitigationNotes?: string | null;
            /** @description Free for the merchant */
            merchantDefinedField1?: string | null;
            /** @description Free for the merchant */
            merchantDefinedField2?: string | null;
            /** @description Free for the merchant */
            merchantDefinedField3?: string | null;
            /** @description Free for the tenant */
            customField1?: string | null;
            /** @description Free for the tenant */
            customField2?: string | null;
            /** @description Free for the tenant */
            customField3?: string | null;
            /** @description Whether it takes cards of NetworkA; true unless said otherwise */
            enabledNetworkA?: boolean | null;
            /** @description Whether it takes cards of NetworkB; true unless said otherwise */
            enabledNetworkB?: boolean | null;
            /** @description Whether the account may take part in the premium program */
            allowPremiumProgram?: boolean | null;
            /** @description Whether the account is fully live at its acquirer */
            fullyLive?: boolean | null;
            /** @description Whether a soft decline is tried again at another account */
            allowRetriesFromOtherMids?: boolean | null;
            /** @description Whether rebills are tried again after insufficient funds */
            allowInsufficientFundsRetries?: boolean | null;
            /** @description Whether refunds are allowed after the refund window */
            forceAllowRefunds?: boolean | null;
            /**
             * Format: int32
             * @description The vertical; 0 when none was named
             */
            verticalId?: number | null;
            /**
             * Format: int32
             * @description The brand; 0 when none was named
             */
            brandId?: number | null;
            /**
             * Format: int32
             * @description The provider of chargeback mitigation; 0 when none was named
             */
            chargebackMitigationProviderId?: number | null;
            /**
             * Format: int32
             * @description The access to the portal of the processor; 0 when none was named
             */
            processorPortalAccessId?: number | null;
            /**
             * Format: int32
             * @description The owner of the merchant id; 0 when none was named
             */
            midOwnerId?: number | null;
            /** @description The largest single payment in `defaultCurrency`, in major units; null for no limit */
            maxPrice?: number | null;
            /** @description The most that is captured in a calendar month (GMT) in `defaultCurrency`, in major units; 0 for no cap */
            monthlyCap?: number | null;
            /** @description Held back of each capture, in per cent of it */
            reservePercentage?: number | null;
            /** @description The discount rate, in per cent of each capture */
            discountRatePercentage?: number | null;
            /** @description Of each try, in major units of `defaultCurrency` */
            gatewayTransactionFee?: number | null;
            /** @description Of each chargeback, in major units of `defaultCurrency` */
            chargebackFee?: number | null;
            /** @description Of each RDR case, in major units of `defaultCurrency` */
            rdrFee?: number | null;
            /** @description Of each alert of the provider, in major units of `defaultCurrency` */
            alertProviderFee?: number | null;
            /** @description Of each CDRN alert, in major units of `defaultCurrency` */
            cdrnFee?: number | null;
            /** @description Of each authorization, in major units of `defaultCurrency` */
            bankAuthFee?: number | null;
            /** @description Of each decline, in major units of `defaultCurrency` */
            bankDeclineFee?: number | null;
            /** @description Of each address check, in major units of `defaultCurrency` */
            bankAVSFee?: number | null;
            /** @description Of each try, in major units of `defaultCurrency` */
            customFee?: number | null;
            /** @description Of each approved try, in major units of `defaultCurrency` */
            customFeeApprovedOnly?: number | null;
            /** @description Where it is given, that of the path */
            id?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            parentCompanyId?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            parentCompany?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            company?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            gateway?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            vertical?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            brand?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            chargebackMitigationProvider?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            processorPortalAccess?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            capLimited?: unknown;
            /**
             * Format: int64
             * @description Of the item as it was read; it counts the changes, from 1
             */
            rowVersion?: number | null;
        };
        MerchantAccountCurrencyPatch: {
            /**
             * @description Currency code of ISO 4217
             * @example GBP
             */
            currency: string;
            gatewayCredentials?: components["schemas"]["GatewayCredentialsPatch"];
        };
        /** @description Kept encrypted, and never shown. An absent secret stays; an empty one is removed. */
        GatewayCredentialsPatch: {
            /** @description A key of the gateway; masked when it is shown */
            apiKey?: string;
            /** @description A user name at the gateway; masked when it is shown */
            username?: string;
            /** @description A password at the gateway; masked when it is shown */
            password?: string;
            /** @description An email address at the gateway; masked when it is shown */
            emailAddress?: string;
        };
        MerchantAccountBatch: components["schemas"]["MerchantAccountInput"][];
        PaymentInput: {
            /**
             * @description More than 0. 0 begins a free trial: every subscription has `trialDays`, and the card is only asked whether it can be charged
             * @example 19.99
             */
            amount: number;
            /**
             * @description Currency code of ISO 4217
             * @example GBP
             */
            currency: string;
            card?: components["schemas"]["CardInput"];
            /** @description Of a card that the email's customer used before, instead of `card` */
            token?: string;
            /**
             * @description What the gateway's own script made in the browser, such as a payment method of Stripe, instead of `card`. Only accounts of that gateway are tried
             * @example pm_1PqXy2Lk3
             */
            gatewayToken?: string;
            /**
             * @description false: authorize only, capture later
             * @default true
             */
            capture?: boolean;
            /**
             * Format: email
             * @description The email of the customer
             * @example ada@example.com
             */
            email: string;
            /** @description The customer, where more is known than the email */
            customer?: components["schemas"]["CustomerInput"];
            /**
             * Format: int64
             * @description The order
             */
            orderId?: number;
            /** @description The line items */
            items?: components["schemas"]["LineItemInput"][];
            subscription?: components["schemas"]["SubscriptionInput"];
            /** @description The addresses; the first is the default */
            addresses?: components["schemas"]["AddressInput"][];
            /** @description The visit in which the order was placed */
            session?: components["schemas"]["SessionInput"];
            /** @description The partner's id of the session, click or visit, as it was sent */
            partnerSession?: string;
            /**
             * Format: int64
             * @description One of the kinds 1 to 5, or your own
             * @default 1
             */
            applicationId?: number;
            /**
             * Format: int64
             * @description The company
             */
            companyId?: number;
            /**
             * Format: int64
             * @description The shop; 0 or null when none was named
             */
            shopId?: number;
            /**
             * Format: int64
             * @description The campaign; in an answer 0 or null when none was named
             */
            campaignId?: number;
            /**
             * Format: int64
             * @description The affiliate; in an answer 0 or null when none was named
             */
            affiliateId?: number;
            /**
             * Format: int64
             * @description The product; in an answer 0 or null when none was named
             */
            productId?: number;
            /**
             * Format: int64
             * @description The price point; in an answer null when none was named
             */
            pricePointId?: number;
            /**
             * Format: int64
             * @description Only this account is tried, also after a decline. Absent: those of the company
             */
            merchantAccountId?: number;
            /** @description true: paid with the first mobile wallet */
            walletPayA?: boolean;
            /** @description true: paid with the second mobile wallet */
            walletPayB?: boolean;
            /** @description true: test data, which no gateway of the real world has seen */
            sandbox?: boolean;
        } & (unknown | unknown | unknown);
        CustomerInput: {
            /**
             * Format: int64
             * @description The email's customer; for a new email, an id of your own
             */
            id?: number;
            /** @description The given name of the person */
            firstName?: string;
            /** @description The family name of the person */
            lastName?: string;
        };
        LineItemInput: {
            /**
             * Format: int64
             * @description The variant that was bought
             */
            StorefrontVariantId: number;
            /**
             * Format: int64
             * @description The product that was bought
             */
            StorefrontProductId: number;
            /**
             * Format: int64
             * @description How many of it
             */
            Quantity: number;
            /**
             * @description In major units, with no more decimals than the currency has
             * @example 19.99
             */
            UnitPrice: number;
            /**
             * @description In major units, with no more decimals than the currency has
             * @example 19.99
             */
            UnitCost?: number;
            /**
             * Format: int32
             * @description The discount code; 0 when none was used
             */
            DiscountCodeId?: number;
            /**
             * @description In major units, with no more decimals than the currency has
             * @example 19.99
             */
            DiscountAmount?: number;
            /**
             * Format: int32
             * @description The sales strategy; 0 when none was used
             */
            SalesStrategyId?: number;
            /**
             * @description In major units, with no more decimals than the currency has
             * @example 19.99
             */
            CustomDiscountAmount?: number;
            subscription?: components["schemas"]["SubscriptionInput"];
        };
        /** @description A subscription that starts when the payment is captured, in the currency of the payment and billed to its card */
        SubscriptionInput: {
            /**
             * @description Name of the club
             * @example Tea club
             */
            name: string;
            /** @description What the club is, for a reader */
            description?: string;
            /**
             * @description Charged for each cycle, in major units, with no more decimals than the currency has
             * @example 19.99
             */
            rebillAmount: number;
            /**
             * Format: int32
             * @description Days between two charges; or `interval`
             * @example 30
             */
            frequency?: number;
            /**
             * @description Instead of `frequency`. Months and years are those of the calendar: the dates are counted from the start (or the end of the trial), on its day of the month, or on the last day of a shorter month
             * @enum {string}
             */
            interval?: "day" | "week" | "month" | "year";
            /**
             * Format: int32
             * @description With `interval`: how many of them are between two charges, 1 when absent; at most 3650 days, 521 weeks, 120 months or 10 years
             */
            intervalCount?: number;
            /**
             * Format: int32
             * @description Days from the capture to the first charge of the plan; 0 or absent: the payment itself pays the first cycle
             */
            trialDays?: number;
        } & (unknown | unknown);
        SessionInput: {
            /** @description The session of the visitor */
            id?: string;
            /** @description The IP address of the visitor */
            ip?: string;
            /** @description The user agent of the visitor */
            useragent?: string;
            /** @description The address of the page */
            url?: string;
            /**
             * Format: date-time
             * @description When the session began; ISO 8601
             */
            timestamp?: string;
            /** @description The city of the IP address */
            ipCity?: string;
            /** @description The country of the IP address */
            ipCountryCode?: string;
        };
        NoFields: Record<string, never>;
        CaptureInput: {
            /**
             * @description Absent: all that was authorized
             * @example 19.99
             */
            amount?: number;
        };
        PaymentRefundInput: {
            /**
             * @description 0 or absent: the remaining balance
             * @example 19.99
             */
            amount?: number;
            /** @description Ecommerce only. The amounts add up to `amount` */
            refundItems?: components["schemas"]["RefundItem"][];
            /** @description Mail the customer a confirmation, once the refund is done */
            sendUserCommunication?: boolean;
        };
        CheckoutSessionInput: {
            /**
             * @description More than 0. 0 begins a free trial: every subscription has `trialDays`, and the card is only asked whether it can be charged
             * @example 19.99
             */
            amount: number;
            /**
             * @description Currency code of ISO 4217
             * @example GBP
             */
            currency: string;
            /**
             * @description false: authorize only, capture later
             * @default true
             */
            capture?: boolean;
            /**
             * Format: email
             * @description The email of the customer
             * @example ada@example.com
             */
            email: string;
            /** @description The customer, where more is known than the email */
            customer?: components["schemas"]["CustomerInput"];
            /**
             * Format: int64
             * @description The order
             */
            orderId?: number;
            /** @description The line items */
            items?: components["schemas"]["LineItemInput"][];
            subscription?: components["schemas"]["SubscriptionInput"];
            /** @description The addresses; the first is the default */
            addresses?: components["schemas"]["AddressInput"][];
            /** @description The partner's id of the session, click or visit, as it was sent */
            partnerSession?: string;
            /**
             * Format: int64
             * @description One of the kinds 1 to 5, or your own
             * @default 1
             */
            applicationId?: number;
            /**
             * Format: int64
             * @description The company
             */
            companyId?: number;
            /**
             * Format: int64
             * @description The shop; 0 or null when none was named
             */
            shopId?: number;
            /**
             * Format: int64
             * @description The campaign; in an answer 0 or null when none was named
             */
            campaignId?: number;
            /**
             * Format: int64
             * @description The affiliate; in an answer 0 or null when none was named
             */
            affiliateId?: number;
            /**
             * Format: int64
             * @description The product; in an answer 0 or null when none was named
             */
            productId?: number;
            /**
             * Format: int64
             * @description The price point; in an answer null when none was named
             */
            pricePointId?: number;
            /**
             * Format: int64
             * @description Only this account is tried, also after a decline. Absent: those of the company
             */
            merchantAccountId?: number;
            /** @description true: test data, which no gateway of the real world has seen */
            sandbox?: boolean;
            /**
             * Format: uuid
             * @description The visit, as the widget names it; becomes `serviceSession` of the payment
             */
            serviceSession?: string;
            /**
             * Format: uri
             * @description Where the page goes once it is paid
             * @example https://shop.example/thanks
             */
            successUrl: string;
            /**
             * Format: uri
             * @description Where the page goes back to
             * @example https://shop.example/thanks
             */
            cancelUrl: string;
            /**
             * Format: int32
             * @description Seconds until the session takes no card any more
             * @default 86400
             */
            expiresIn?: number;
        };
        CheckoutSessionPass: {
            /** @description Of the session: as the server got it, which gave it to this page */
            clientSecret: string;
        };
        CheckoutPayInput: {
            /** @description Of the session: as the server got it, which gave it to this page */
            clientSecret: string;
            card?: components["schemas"]["CardInput"];
            /**
             * @description What the gateway's own script made in the browser, such as a payment method of Stripe, instead of `card`. Only accounts of that gateway are tried
             * @example pm_1PqXy2Lk3
             */
            gatewayToken?: string;
            /**
             * Format: int32
             * @description The number of this try, from `attempt` of the session: a try that was made is answered with what became of it, so that two clicks are one payment. Absent: the next
             */
            attempt?: number;
            page?: components["schemas"]["CheckoutPage"];
        } & (unknown | unknown);
        /** @description Kept as the session of the payment */
        CheckoutPage: {
            /** @description The address of the page */
            url?: string;
            /** @description The browser */
            useragent?: string;
        };
        CheckoutActionInput: {
            /** @description Of the session: as the server got it, which gave it to this page */
            clientSecret: string;
            /**
             * @description `given-up`: the buyer goes back, to try another card
             * @enum {string}
             */
            outcome: "done" | "given-up";
        };
        SubscriptionFreezeInput: {
            /** @description Why, for the record */
            note?: string;
        };
        SubscriptionEndInput: {
            /** @description Mail the customer a confirmation */
            sendUserCommunication?: boolean;
        };
        SubscriptionCardInput: {
            card?: components["schemas"]["CardInput"];
            /** @description Of a card used before, instead of `card` */
            token?: string;
        } & (unknown | unknown);
        /** @description What is absent stays as it is */
        SubscriptionPlanInput: {
            /** @description The name of the club */
            name?: string;
            /** @description What the club is, for a reader */
            description?: string;
            /**
             * @description Charged for each cycle, in major units, with no more decimals than the currency has
             * @example 19.99
             */
            rebillAmount?: number;
            /**
             * Format: int32
             * @description Days between two charges; or `interval`
             * @example 30
             */
            frequency?: number;
            /**
             * @description Instead of `frequency`. Months and years are those of the calendar: the dates are counted from the start (or the end of the trial), on its day of the month, or on the last day of a shorter month
             * @enum {string}
             */
            interval?: "day" | "week" | "month" | "year";
            /**
             * Format: int32
             * @description With `interval`: how many of them are between two charges, 1 when absent; at most 3650 days, 521 weeks, 120 months or 10 years
             */
            intervalCount?: number;
        };
        MitigationTransactionSearch: {
            /**
             * Format: int64
             * @description The tenant id; equals ClientId
             */
            parentCompanyId?: number;
            /**
             * Format: email
             * @description The agent; equals the UserEmail header
             * @example ada@example.com
             */
            userEmail?: string;
            /** @description Of any of these emails, in upper or lower case */
            emails?: string[];
            /** @description Of any of these orders */
            orderIds?: number[];
            /** @description Any of these transactions */
            transactionIds?: string[];
            /** @description With any of these ids at the gateway */
            gatewayTransactionIds?: string[];
            /**
             * @description The first six digits of the card, all that is stored
             * @example 424242
             */
            bin?: string;
            /** @description The last four digits of the card number */
            last4?: string;
            /** @description The given name of the person */
            firstName?: string;
            /** @description The family name of the person */
            lastName?: string;
            /** @description With any of these authorization codes */
            authCodes?: string[];
            /**
             * @description Currency code of ISO 4217
             * @example GBP
             */
            currency?: string;
            /**
             * Format: date
             * @description A day in GMT, included
             * @example 2010-12-01
             */
            dateFrom?: string;
            /**
             * Format: date
             * @description A day in GMT, included
             * @example 2010-12-01
             */
            dateTo?: string;
            /** @description A part of the descriptor, in upper or lower case */
            descriptorContains?: string;
            /** @description Absent: live data only */
            sandbox?: boolean;
            /** @description Made by any of these applications */
            applicationIds?: number[];
            /** @description Of any of these products */
            productIds?: number[];
            /** @description Of any of these campaigns */
            campaignIds?: number[];
            /** @description At any of these merchant accounts */
            merchantAccountIds?: number[];
            /** @description Of any of these companies */
            companyIds?: number[];
            /** @description The rebills of a subscription, and the payment that started it; one that started two is found by the first */
            subscriptionIds?: number[];
            /** @description The `amount` of the record, matched exactly: what was captured, once anything is */
            amounts?: number[];
            /** @description The dates also match the last refund, chargeback or alert of a transaction, and what became of it */
            includeUpdated?: boolean;
            /**
             * Format: int32
             * @description The page, counted from 1
             * @default 1
             */
            pageNumber?: number;
            /**
             * Format: int32
             * @description The most elements of a page
             * @default 10
             */
            limit?: number;
        };
        MitigationSearch: {
            /**
             * Format: int64
             * @description The tenant id; equals ClientId
             */
            parentCompanyId?: number;
            /**
             * Format: email
             * @description The agent; equals the UserEmail header
             * @example ada@example.com
             */
            userEmail?: string;
            /**
             * Format: email
             * @description The email of the customer
             * @example ada@example.com
             */
            email?: string;
            /**
             * Format: int64
             * @description The order
             */
            orderId?: number;
            /** @description The first six digits of the card number; empty without a card */
            bin?: string;
            /** @description The last four digits of the card number */
            last4?: string;
            /** @description The given name of the person */
            firstName?: string;
            /** @description The family name of the person */
            lastName?: string;
            /** @description The authorization code of the issuer; empty before there is one */
            authCode?: string;
            /** @description The reference of the acquirer; in an answer empty without one */
            arn?: string;
            /** @description The `amount` of the record, matched exactly: what was captured, once anything is */
            amount?: number;
            /**
             * @description Currency code of ISO 4217
             * @example GBP
             */
            currencyCode?: string;
            /**
             * Format: date
             * @description A day in GMT, included
             * @example 2010-12-01
             */
            dateFrom?: string;
            /**
             * Format: date
             * @description A day in GMT, included
             * @example 2010-12-01
             */
            dateTo?: string;
            /** @description The merchant id (MID) of the account at its acquirer */
            mid?: string;
            /** @description The whole descriptor, in upper or lower case */
            descriptorExactMatch?: string;
            /** @description A part of the descriptor, in upper or lower case */
            descriptorContains?: string;
        };
        ChargebackReport: {
            /**
             * Format: int64
             * @description The tenant id; equals ClientId
             */
            parentCompanyId?: number;
            /**
             * Format: email
             * @description The agent; equals the UserEmail header
             * @example ada@example.com
             */
            userEmail?: string;
            /**
             * @description The reference of the provider: the same one again is the same dispute
             * @example CB-2026-000123
             */
            reference: string;
            /**
             * @description In major units, with no more decimals than the currency has
             * @example 19.99
             */
            amount: number;
            /**
             * @description Currency code of ISO 4217
             * @example GBP
             */
            currency: string;
            /**
             * Format: uuid
             * @description The payment, or one of its children
             */
            transactionId?: string;
            /** @description The id at the gateway; empty before there is one */
            gatewayTransactionId?: string;
            /** @description The reference of the acquirer; in an answer empty without one */
            arn?: string;
            /**
             * Format: int64
             * @description The order
             */
            orderId?: number;
            /**
             * Format: date-time
             * @description When it began: at most a day from now; the time of the report when absent
             */
            openedAt?: string;
            /** @description What the provider says of it */
            note?: string;
            /** @description true: test data, which no gateway of the real world has seen */
            sandbox?: boolean;
            /**
             * @description As the provider has it. A later status may come before an earlier one
             * @default ChargebackOpen
             * @enum {string}
             */
            status?: "ChargebackOpen" | "ChargebackUnderReview" | "ChargebackWon" | "ChargebackLost" | "ChargebackAccepted" | "ChargebackWithdrawn";
            /**
             * @description Of the card network
             * @example 10.4
             */
            reasonCode?: string;
            /**
             * Format: date-time
             * @description When an answer must have been given; by the rules of the network when absent
             */
            respondBy?: string;
        };
        AlertReport: {
            /**
             * Format: int64
             * @description The tenant id; equals ClientId
             */
            parentCompanyId?: number;
            /**
             * Format: email
             * @description The agent; equals the UserEmail header
             * @example ada@example.com
             */
            userEmail?: string;
            /**
             * @description The reference of the provider: the same one again is the same dispute
             * @example CB-2026-000123
             */
            reference: string;
            /**
             * @description In major units, with no more decimals than the currency has
             * @example 19.99
             */
            amount: number;
            /**
             * @description Currency code of ISO 4217
             * @example GBP
             */
            currency: string;
            /**
             * Format: uuid
             * @description The payment, or one of its children
             */
            transactionId?: string;
            /** @description The id at the gateway; empty before there is one */
            gatewayTransactionId?: string;
            /** @description The reference of the acquirer; in an answer empty without one */
            arn?: string;
            /**
             * Format: int64
             * @description The order
             */
            orderId?: number;
            /**
             * Format: date-time
             * @description When it began: at most a day from now; the time of the report when absent
             */
            openedAt?: string;
            /** @description What the provider says of it */
            note?: string;
            /** @description true: test data, which no gateway of the real world has seen */
            sandbox?: boolean;
            /**
             * @description As the provider has it. Absent: `AlertOpen`; of RDR `AlertResolved`
             * @enum {string}
             */
            status?: "AlertOpen" | "AlertResolved" | "AlertDeclined" | "AlertExpired";
            /**
             * @description What the alert warns of
             * @enum {string}
             */
            type: "ConfirmedFraud" | "CustomerDispute" | "EarlyFraudWarning" | "AutoResolved" | "OrderInquiry" | "Cancellation";
            /**
             * @description Where the alert came from
             * @enum {string}
             */
            source: "AlertProvider" | "CDRN" | "RDR" | "OrderInquiry" | "Acquirer" | "Manual";
        };
        DisputeNote: {
            /**
             * Format: int64
             * @description The tenant id; equals ClientId
             */
            parentCompanyId?: number;
            /**
             * Format: email
             * @description The agent; equals the UserEmail header
             * @example ada@example.com
             */
            userEmail?: string;
            /** @description Why; kept with the dispute */
            note?: string;
        };
        Representment: {
            /**
             * Format: int64
             * @description The tenant id; equals ClientId
             */
            parentCompanyId?: number;
            /**
             * Format: email
             * @description The agent; equals the UserEmail header
             * @example ada@example.com
             */
            userEmail?: string;
            /** @description Why; kept with the dispute */
            note?: string;
            /** @description Of files that were kept for this dispute; all of them when absent */
            digests?: string[];
            /** @description What is said besides, at most 50 fields of free names */
            fields?: {
                [key: string]: string;
            };
        };
        DisputeMatch: {
            /**
             * Format: int64
             * @description The tenant id; equals ClientId
             */
            parentCompanyId?: number;
            /**
             * Format: email
             * @description The agent; equals the UserEmail header
             * @example ada@example.com
             */
            userEmail?: string;
            /**
             * Format: uuid
             * @description The payment that is disputed
             */
            transactionId: string;
        };
        /** @description As the gateway has it: only what it names is used, and read again there */
        GatewayEvent: {
            [key: string]: unknown;
        };
        /**
         * @description What of a payer is listed. A BIN has six digits, an extended one eight
         * @enum {string}
         */
        BlackListKind: "email" | "cardFingerprint" | "bin" | "extendedBin" | "ip" | "customer";
        BlackListEntryInput: {
            kind: components["schemas"]["BlackListKind"];
            /**
             * @description An email, an IP address, six or eight digits of a card, a customer id, or a fingerprint. Kept as a keyed digest, and never in the clear
             * @example eve@example.com
             */
            value?: string;
            /**
             * Format: uuid
             * @description Takes the value from this payment, or the payment of this child
             */
            transactionId?: string;
            /** @description Why it is listed */
            reason?: string;
            /**
             * Format: date-time
             * @description From then on it blocks nothing; null for never
             */
            expiresAt?: string | null;
            /** @description Test data has a list of its own. Default: live */
            sandbox?: boolean;
        } & (unknown | unknown);
        BlackListEntryChange: {
            /** @description Why it is listed */
            reason?: string | null;
            /**
             * Format: date-time
             * @description From then on it blocks nothing; null for never
             */
            expiresAt?: string | null;
            /**
             * Format: int64
             * @description Of the item as it was read; it counts the changes, from 1
             */
            rowVersion?: number;
            /** @description Where it is given, that of the path */
            id?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            sandbox?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            kind?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            value?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            source?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            transactionId?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            createdAt?: unknown;
        };
        CustomerLeadInput: {
            /**
             * Format: email
             * @description The email of the customer
             * @example ada@example.com
             */
            email: string;
            /**
             * @description Identifies the lead; equals `partnerSession` of the payment
             * @example visit-7f3a
             */
            session_id: string;
            /** @description The given name */
            first_name?: string;
            /** @description The family name */
            last_name?: string;
            /** @description The device, as the page names it */
            cfa_device?: string;
            /** @description Pages that were seen, in order */
            scans?: components["schemas"]["LeadScan"][];
            /** @description Refused: the service sets it */
            tenant_id?: unknown;
            /** @description Refused: the service sets it */
            status?: unknown;
            /** @description Refused: the service sets it */
            paid?: unknown;
            /** @description Refused: the service sets it */
            paid_at?: unknown;
            /** @description Refused: the service sets it */
            payment?: unknown;
            /** @description Refused: the service sets it */
            payment_id?: unknown;
            /** @description Refused: the service sets it */
            payment_status?: unknown;
            /** @description Refused: the service sets it */
            transaction?: unknown;
            /** @description Refused: the service sets it */
            transaction_id?: unknown;
            /** @description Refused: the service sets it */
            order_id?: unknown;
            /** @description Refused: the service sets it */
            amount?: unknown;
            /** @description Refused: the service sets it */
            currency?: unknown;
        };
        LeadScan: {
            /** @description A page that was seen */
            page: string;
        };
        TransactionMessage: {
            /** @description The id of the event: it counts once */
            id: string;
            /**
             * @description What happened
             * @constant
             */
            type: "payment.captured";
            /**
             * Format: date-time
             * @description When it was captured. Default: now
             */
            timestamp?: string;
            data: components["schemas"]["ReportedTransactionData"];
        };
        /** @description What it happened to */
        ReportedTransactionData: {
            /** @description The payment */
            transaction: components["schemas"]["ReportedTransaction"];
        };
        ReportedTransaction: {
            /** @description The gateway's own id of the payment */
            id: string;
            /** @description The order, as text */
            orderId?: string;
            /**
             * @description What was captured, in major units
             * @example 19.99
             */
            amount: number;
            /**
             * @description Currency code of ISO 4217
             * @example GBP
             */
            currency: string;
            /**
             * Format: int64
             * @description The application: that of the lead
             */
            applicationId: number;
            /** @description `session_id` of the lead */
            partnerSession: string;
            /** @description true: test data, which no gateway of the real world has seen */
            sandbox?: boolean;
        };
        EmailRequest: {
            /** @description The key of the email service; may be sent in the X-Tenant-Key header instead */
            tenant_key?: string;
            /**
             * @description `ann@example.com` or `Ann <ann@example.com>`, in a sender domain of the tenant
             * @example Shop <post@shop.example>
             */
            from: string;
            /**
             * @description `ann@example.com` or `Ann <ann@example.com>`, or a list
             * @example ann@example.com
             */
            to: string | string[];
            /** @description As `to` */
            cc?: string | string[];
            /** @description As `to`; no header names them */
            bcc?: string | string[];
            /** @description Where answers go */
            replyTo?: string;
            /**
             * @description As it is: no template
             * @example Your order 1042
             */
            subject: string;
            /**
             * @description `string`: `templateContent`. `react`: a bundled template, by `templateName`
             * @enum {string}
             */
            templateType: "string" | "react";
            /**
             * @description Required with `react`
             * @enum {string}
             */
            templateName?: "generic" | "order-confirmation" | "welcome-membership";
            /**
             * @description Required with `string`: HTML or text with `{{variable}}` and `{{#if variable}}…{{/if}}`. Values are escaped. At most 256 KiB
             * @example <p>Hello {{name}},</p>{{#if order.paid}}<p>Thank you.</p>{{/if}}
             */
            templateContent?: string;
            /** @description What the template is filled with; members that it does not name are free */
            templateData?: {
                [key: string]: unknown;
            };
            /** @description Headers of your own: `X-…`, In-Reply-To, References, Keywords, Comments, Importance, Feedback-ID, List-ID. At most 20 */
            headers?: {
                [key: string]: string;
            };
            /** @description Adds the headers by which its only recipient can unsubscribe with one click */
            listUnsubscribe?: boolean;
            /** @description Names the email for 7 days: a repetition is not sent again. Absent: derived from the content */
            idempotencyKey?: string;
        };
        EmailBatchRequest: {
            /** @description The key of the email service; may be sent in the X-Tenant-Key header instead */
            tenant_key?: string;
            /** @description Each as the body of `POST /api/email`, without `tenant_key` */
            emails: {
                [key: string]: unknown;
            }[];
        };
        ApiKeyInput: {
            /**
             * @description Default: `api`. `tenant`: a key of the email service, which has no scopes. `payment-publishable`: for pages, which pay checkout sessions with it and can do nothing else; it has an application and origins instead of scopes
             * @enum {string}
             */
            kind?: "api" | "tenant" | "payment-publishable";
            /**
             * Format: int64
             * @description For `payment-publishable`: whose sessions its pages pay
             */
            applicationId?: number;
            /** @description For `payment-publishable`: where its pages are, each as browsers name it: `https://shop.example` */
            allowedOrigins?: string[];
            /**
             * @description The data that the key is for: `live` or sandbox data
             * @enum {string}
             */
            environment?: "live" | "test";
            /** @description What the key is for */
            label?: string;
            /** @description What the key may do: of the list of permissions */
            scopes?: string[];
            /**
             * Format: date-time
             * @description Default: never
             */
            expiresAt?: string;
        };
        KeyRotation: {
            /**
             * Format: int32
             * @description How many days the old key lives on beside the new one. Default: 0, it ends at once
             */
            overlapDays?: number;
        };
        LeadKeyInput: {
            /**
             * @description The data that the key is for: `live` or sandbox data
             * @enum {string}
             */
            environment?: "live" | "test";
            /** @description What the key is for */
            label?: string;
            /**
             * Format: int64
             * @description The application whose leads they are
             */
            applicationId: number;
            /** @description Where pages may write leads from, each as browsers name it: `https://shop.example` */
            allowedOrigins?: string[];
        };
        LeadKeyChange: {
            /** @description What the key is for */
            label?: string | null;
            /** @description Where pages may write leads from, each as browsers name it: `https://shop.example` */
            allowedOrigins?: string[] | null;
            /**
             * Format: int64
             * @description Of the item as it was read; it counts the changes, from 1
             */
            rowVersion?: number;
        };
        SenderDomainInput: {
            /**
             * @description In letters of any script; compared in lower case and punycode
             * @example shop.example
             */
            domain: string;
            /**
             * @description Whether the domains below it are authorized too, but for those that are here themselves
             * @default false
             */
            includeSubdomains?: boolean;
            /**
             * @description `disabled`: mails from it are refused, at once
             * @default authorized
             * @enum {string}
             */
            status?: "authorized" | "disabled";
            /** @description Where the public key is: `<selector>._domainkey.<asciiDomain>` */
            dkimSelector?: string;
            /** @description RSA of 1024 to 4096 bits, in PEM; with a selector. Kept encrypted, and masked when it is read: a masked value written back is the one that is kept */
            dkimPrivateKey?: string;
        };
        SenderDomainChange: {
            /** @description Whether the domains below it are authorized too, but for those that are here themselves */
            includeSubdomains?: boolean;
            /**
             * @description `disabled`: mails from it are refused, at once
             * @enum {string}
             */
            status?: "authorized" | "disabled";
            /** @description Where the public key is: `<selector>._domainkey.<asciiDomain>` */
            dkimSelector?: string | null;
            /** @description RSA of 1024 to 4096 bits, in PEM; with a selector. Kept encrypted, and masked when it is read: a masked value written back is the one that is kept */
            dkimPrivateKey?: string | null;
            /**
             * Format: int64
             * @description Of the item as it was read; it counts the changes, from 1
             */
            rowVersion?: number;
        };
        SuppressionInput: {
            /**
             * Format: email
             * @description The email of the customer
             * @example ada@example.com
             */
            email: string;
            /** @description For the tenant */
            note?: string;
            /** @description Absent: live */
            sandbox?: boolean;
        };
        MailSettingsChange: {
            sender?: components["schemas"]["MailSenderChange"];
            smtp?: components["schemas"]["MailServerChange"];
            tracking?: components["schemas"]["MailTrackingChange"];
            /**
             * @description Of dates, and what mails say that they are in
             * @example en-GB
             */
            language?: string | null;
            /** @description In place of the built-in texts, by what is mailed about; null for the built-in one */
            texts?: {
                [key: string]: components["schemas"]["MailTextChange"];
            } | null;
            /**
             * Format: int64
             * @description Of the item as it was read; it counts the changes, from 1
             */
            rowVersion?: number;
        };
        /** @description Whom what the ledger mails by itself is from; in a sender domain. null: the host */
        MailSenderChange: {
            /** @description Shown beside the address */
            name?: string;
            /**
             * Format: email
             * @description In a sender domain of the tenant
             * @example ada@example.com
             */
            address: string;
        } | null;
        /** @description The mail server of the tenant. null: that of the host */
        MailServerChange: {
            /** @description In production only public addresses are connected to */
            host?: string;
            /**
             * Format: int32
             * @description Of a new server by default 587
             */
            port?: number;
            /** @description TLS from the start; else STARTTLS where it is offered, and always with a password */
            secure?: boolean;
            /** @description Empty: without credentials */
            user?: string;
            /** @description Kept encrypted, and masked when it is read: a masked value written back is the one that is kept. Required again with another host or port */
            password?: string;
        } | null;
        /** @description Off by default */
        MailTrackingChange: {
            /** @description Whether opening a submitted email is recorded */
            opens?: boolean | null;
            /** @description Whether following its links is recorded */
            clicks?: boolean | null;
        } | null;
        /** @description In the language of `templateContent` */
        MailTextChange: {
            /** @description A template */
            subject: string;
            /** @description Paragraphs with empty lines between them; a template */
            text: string;
        } | null;
        MailTextPreview: {
            /**
             * @description What is mailed about
             * @enum {string}
             */
            kind: "refunded" | "unsubscribed" | "rebill-failed" | "frozen" | "renewed" | "invited" | "password-reset";
            /** @description The text to show; null: the built-in one. By default what is sent now */
            own?: components["schemas"]["MailTextChange"];
        };
        WebhookEndpointInput: {
            /**
             * @description The data that the key is for: `live` or sandbox data
             * @enum {string}
             */
            environment?: "live" | "test";
            /**
             * @description Where events are sent: https, without user and password and without a fragment. Private and reserved addresses are refused. Of `out` only, and required there
             * @example https://hooks.shop.example/counterfoil
             */
            url?: string;
            /** @description The events that are sent; `*` is all of them. Default: `*`. Of `out` only */
            eventTypes?: ("*" | "customer_lead.paid" | "payment.captured" | "payment.declined" | "refund.succeeded" | "refund.failed" | "subscription.started" | "subscription.renewed" | "subscription.frozen" | "subscription.unsubscribed" | "chargeback.opened" | "chargeback.closed" | "alert.received" | "email.failed")[];
            /** @description Whether events about one subject are sent one after the other, in their order. Default: true. Of `out` only */
            ordered?: boolean;
            /**
             * @description A name for who sends: small letters, digits and dashes. Of `in` only, and required
             * @example acme-pay
             */
            source?: string;
            /** @description The secret that the source signs with: `whsec_` and 24 to 64 bytes in base64. Default: a new one. Of `in` only */
            signingSecret?: string;
            /** @description What the endpoint is for */
            description?: string;
        };
        WebhookEndpointChange: {
            /**
             * @description Where events are sent: https, without user and password and without a fragment. Private and reserved addresses are refused. Of `out` only, and required there
             * @example https://hooks.shop.example/counterfoil
             */
            url?: string;
            /**
             * @description `active` also enables an endpoint that was disabled
             * @enum {string}
             */
            status?: "active" | "paused";
            /** @description The events that are sent; `*` is all of them. Default: `*`. Of `out` only */
            eventTypes?: ("*" | "customer_lead.paid" | "payment.captured" | "payment.declined" | "refund.succeeded" | "refund.failed" | "subscription.started" | "subscription.renewed" | "subscription.frozen" | "subscription.unsubscribed" | "chargeback.opened" | "chargeback.closed" | "alert.received" | "email.failed")[] | null;
            /** @description Whether events about one subject are sent one after the other, in their order. Default: true. Of `out` only */
            ordered?: boolean | null;
            /** @description What the endpoint is for */
            description?: string | null;
            /**
             * Format: int64
             * @description Of the item as it was read; it counts the changes, from 1
             */
            rowVersion?: number;
        };
        WebhookRotation: {
            /**
             * Format: int32
             * @description How many days the secret of before is good beside the new one. Default: 1
             */
            overlapDays?: number;
            /** @description The secret that the source signs with: `whsec_` and 24 to 64 bytes in base64. Default: a new one. Of `in` only */
            signingSecret?: string;
        };
        WebhookReplayInput: {
            /**
             * Format: date-time
             * @description Events of this instant or later
             */
            since: string;
            /**
             * Format: date-time
             * @description Events before this instant
             */
            until?: string;
            /**
             * @description What became of them. Default: `dead`
             * @enum {string}
             */
            status?: "dead" | "delivered";
            /** @description Of these types; all when absent */
            types?: string[];
        };
        SettingsChange: {
            /**
             * Format: int32
             * @description How many requests each environment may make in a minute
             */
            requestsPerMinute?: number | null;
            /**
             * Format: int32
             * @description Days after a capture in which it may be refunded
             */
            refundWindowDays?: number | null;
            /**
             * Format: int32
             * @description Days that a rolling reserve is held
             */
            reserveHoldDays?: number | null;
            /** @description Whether a chargeback or a confirmed fraud ends subscriptions */
            unsubscribeOnDispute?: boolean | null;
            /** @description Whether `UserEmail` must name an active user, whose scopes bound those of the key. Needs an active owner */
            requireKnownUsers?: boolean | null;
            dunning?: components["schemas"]["DunningChange"];
            lateCapture?: components["schemas"]["LateCaptureChange"];
            blackListing?: components["schemas"]["BlackListingChange"];
            chargebackAnswerDays?: components["schemas"]["ChargebackAnswerDaysChange"];
            disputeThresholds?: components["schemas"]["DisputeThresholdsChange"];
            /**
             * Format: int64
             * @description Of the item as it was read; it counts the changes, from 1
             */
            rowVersion?: number;
        };
        /** @description What happens when a rebill is declined */
        DunningChange: {
            /** @description Days after the first failed try of a cycle, ascending; then it is frozen */
            retryAfterDays?: number[] | null;
            /** @description The mails that a subscriber gets */
            mails?: ("renewed" | "rebill-failed" | "frozen")[] | null;
        } | null;
        /** @description What happens to a payment of unknown outcome that is found captured late. Rebills are always kept */
        LateCaptureChange: {
            /**
             * @description `refund`: in full, once, with a mail
             * @enum {string|null}
             */
            action?: "keep" | "refund" | null;
            /**
             * Format: int32
             * @description Later than so many minutes after the outcome was unknown
             */
            afterMinutes?: number | null;
        } | null;
        /** @description What of the payer is put on the black list by itself, as a sum of: 1 email · 2 card fingerprint · 4 BIN · 8 extended BIN · 16 IP · 32 customer. 0 for nothing */
        BlackListingChange: {
            /**
             * Format: int32
             * @description After a chargeback
             */
            onChargeback?: number | null;
            /**
             * Format: int32
             * @description After an alert of confirmed fraud
             */
            onConfirmedFraud?: number | null;
        } | null;
        /** @description Days in which a chargeback must be answered whose report does not say until when, by the network of its card */
        ChargebackAnswerDaysChange: {
            /**
             * Format: int32
             * @description Of a card of no known network
             */
            Unknown?: number | null;
            /**
             * Format: int32
             * @description Of a card of NetworkA
             */
            NetworkA?: number | null;
            /**
             * Format: int32
             * @description Of a card of NetworkB
             */
            NetworkB?: number | null;
            /**
             * Format: int32
             * @description Of a card of NetworkC
             */
            NetworkC?: number | null;
            /**
             * Format: int32
             * @description Of a card of NetworkD
             */
            NetworkD?: number | null;
            /**
             * Format: int32
             * @description Of a card of NetworkE
             */
            NetworkE?: number | null;
            /**
             * Format: int32
             * @description Of a card of NetworkF
             */
            NetworkF?: number | null;
        } | null;
        /** @description What the dispute rates of merchant accounts are held against */
        DisputeThresholdsChange: {
            /** @description From here on a month is `warning`: percent and number together */
            warning?: components["schemas"]["DisputeThresholdChange"];
            /** @description From here on it is `excessive` */
            excessive?: components["schemas"]["DisputeThresholdChange"];
        } | null;
        DisputeThresholdChange: {
            /** @description Chargebacks over captures of a month */
            percent?: number | null;
            /**
             * Format: int32
             * @description As many at least
             */
            chargebacks?: number | null;
        } | null;
        UserInput: {
            /**
             * Format: email
             * @description The email of the customer
             * @example ada@example.com
             */
            email: string;
            /** @description What it is called */
            name: string;
            /** @description Roles: built-in ones by their names, such as `agent`, and those of the tenant */
            roleIds: string[];
        };
        UserChange: {
            /** @description What it is called */
            name?: string;
            /** @description Roles: built-in ones by their names, such as `agent`, and those of the tenant */
            roleIds?: string[];
            /**
             * @description `disabled` ends all sessions; `active` lets a disabled user in again, or makes one who never accepted the invitation `invited` again, who is mailed another one where the host sends mails
             * @enum {string}
             */
            status?: "active" | "disabled";
            /**
             * Format: int64
             * @description Of the item as it was read; it counts the changes, from 1
             */
            rowVersion?: number;
        };
        RoleInput: {
            /** @description What it is called */
            name: string;
            /** @description What its users may do */
            scopes: string[];
        };
        RoleReplacement: {
            /** @description What it is called */
            name: string;
            /** @description What its users may do */
            scopes: string[];
            /**
             * Format: int64
             * @description Of the item as it was read; it counts the changes, from 1
             */
            rowVersion?: number;
            /** @description Where it is given, that of the path */
            id?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            builtIn?: unknown;
        };
        CompanyInput: {
            /**
             * Format: int64
             * @description Default: the next one that is free
             */
            id?: number;
            /** @description As records show it */
            name: string;
        };
        CompanyReplacement: {
            /** @description As records show it */
            name: string;
            /**
             * Format: int64
             * @description Of the item as it was read; it counts the changes, from 1
             */
            rowVersion?: number;
            /** @description Where it is given, that of the path */
            id?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            updatedAt?: unknown;
        };
        CompanyChange: {
            /** @description As records show it */
            name?: string | null;
            /**
             * Format: int64
             * @description Of the item as it was read; it counts the changes, from 1
             */
            rowVersion?: number;
            /** @description Where it is given, that of the path */
            id?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            updatedAt?: unknown;
        };
        ShopInput: {
            /**
             * Format: int64
             * @description Default: the next one that is free
             */
            id?: number;
            /** @description As records show it */
            name: string;
            /**
             * Format: int64
             * @description The company
             */
            companyId: number;
            /** @description The domain of the shop */
            domain?: string;
            /** @description The root domain of the shop */
            rootDomain?: string;
            /** @description Currency code of ISO 4217 */
            currency: string;
        };
        ShopReplacement: {
            /** @description As records show it */
            name: string;
            /**
             * Format: int64
             * @description The company
             */
            companyId: number;
            /** @description The domain of the shop */
            domain?: string;
            /** @description The root domain of the shop */
            rootDomain?: string;
            /** @description Currency code of ISO 4217 */
            currency: string;
            /**
             * Format: int64
             * @description Of the item as it was read; it counts the changes, from 1
             */
            rowVersion?: number;
            /** @description Where it is given, that of the path */
            id?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            updatedAt?: unknown;
        };
        ShopChange: {
            /** @description As records show it */
            name?: string | null;
            /**
             * Format: int64
             * @description The company
             */
            companyId?: number | null;
            /** @description The domain of the shop */
            domain?: string | null;
            /** @description The root domain of the shop */
            rootDomain?: string | null;
            /** @description Currency code of ISO 4217 */
            currency?: string | null;
            /**
             * Format: int64
             * @description Of the item as it was read; it counts the changes, from 1
             */
            rowVersion?: number;
            /** @description Where it is given, that of the path */
            id?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            updatedAt?: unknown;
        };
        ApplicationInput: {
            /**
             * Format: int64
             * @description Default: the next one that is free
             */
            id?: number;
            /** @description As records show it */
            name: string;
            /**
             * Format: int32
             * @description 1 Checkout · 2 Ecommerce · 3 Rebill · 4 Rebill retry · 5 Manual
             */
            kind: number;
        };
        ApplicationReplacement: {
            /** @description As records show it */
            name: string;
            /**
             * Format: int32
             * @description 1 Checkout · 2 Ecommerce · 3 Rebill · 4 Rebill retry · 5 Manual
             */
            kind: number;
            /**
             * Format: int64
             * @description Of the item as it was read; it counts the changes, from 1
             */
            rowVersion?: number;
            /** @description Where it is given, that of the path */
            id?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            updatedAt?: unknown;
        };
        ApplicationChange: {
            /** @description As records show it */
            name?: string | null;
            /**
             * Format: int32
             * @description 1 Checkout · 2 Ecommerce · 3 Rebill · 4 Rebill retry · 5 Manual
             */
            kind?: number | null;
            /**
             * Format: int64
             * @description Of the item as it was read; it counts the changes, from 1
             */
            rowVersion?: number;
            /** @description Where it is given, that of the path */
            id?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            updatedAt?: unknown;
        };
        ProductInput: {
            /**
             * Format: int64
             * @description Default: the next one that is free
             */
            id?: number;
            /** @description As records show it */
            name: string;
        };
        ProductReplacement: {
            /** @description As records show it */
            name: string;
            /**
             * Format: int64
             * @description Of the item as it was read; it counts the changes, from 1
             */
            rowVersion?: number;
            /** @description Where it is given, that of the path */
            id?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            updatedAt?: unknown;
        };
        ProductChange: {
            /** @description As records show it */
            name?: string | null;
            /**
             * Format: int64
             * @description Of the item as it was read; it counts the changes, from 1
             */
            rowVersion?: number;
            /** @description Where it is given, that of the path */
            id?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            updatedAt?: unknown;
        };
        PricePointInput: {
            /**
             * Format: int64
             * @description Default: the next one that is free
             */
            id?: number;
            /**
             * @description In major units, with no more decimals than the currency has
             * @example 19.99
             */
            amount: number;
            /** @description Currency code of ISO 4217 */
            currency: string;
            /** @description Of the price point; empty without one */
            billingCode?: string;
            /**
             * Format: int64
             * @description Of the price point; 0 without one
             */
            premium?: number;
            /**
             * Format: int64
             * @description Shown as `shortcodeID` of payments at the price point
             */
            shortcodeId?: number;
        };
        PricePointReplacement: {
            /**
             * @description In major units, with no more decimals than the currency has
             * @example 19.99
             */
            amount: number;
            /** @description Currency code of ISO 4217 */
            currency: string;
            /** @description Of the price point; empty without one */
            billingCode?: string;
            /**
             * Format: int64
             * @description Of the price point; 0 without one
             */
            premium?: number;
            /**
             * Format: int64
             * @description Shown as `shortcodeID` of payments at the price point
             */
            shortcodeId?: number;
            /**
             * Format: int64
             * @description Of the item as it was read; it counts the changes, from 1
             */
            rowVersion?: number;
            /** @description Where it is given, that of the path */
            id?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            updatedAt?: unknown;
        };
        PricePointChange: {
            /**
             * @description In major units, with no more decimals than the currency has
             * @example 19.99
             */
            amount?: number | null;
            /** @description Currency code of ISO 4217 */
            currency?: string | null;
            /** @description Of the price point; empty without one */
            billingCode?: string | null;
            /**
             * Format: int64
             * @description Of the price point; 0 without one
             */
            premium?: number | null;
            /**
             * Format: int64
             * @description Shown as `shortcodeID` of payments at the price point
             */
            shortcodeId?: number | null;
            /**
             * Format: int64
             * @description Of the item as it was read; it counts the changes, from 1
             */
            rowVersion?: number;
            /** @description Where it is given, that of the path */
            id?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            updatedAt?: unknown;
        };
        CampaignInput: {
            /**
             * Format: int64
             * @description Default: the next one that is free
             */
            id?: number;
            /** @description As records show it */
            name: string;
        };
        CampaignReplacement: {
            /** @description As records show it */
            name: string;
            /**
             * Format: int64
             * @description Of the item as it was read; it counts the changes, from 1
             */
            rowVersion?: number;
            /** @description Where it is given, that of the path */
            id?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            updatedAt?: unknown;
        };
        CampaignChange: {
            /** @description As records show it */
            name?: string | null;
            /**
             * Format: int64
             * @description Of the item as it was read; it counts the changes, from 1
             */
            rowVersion?: number;
            /** @description Where it is given, that of the path */
            id?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            updatedAt?: unknown;
        };
        AffiliateInput: {
            /**
             * Format: int64
             * @description Default: the next one that is free
             */
            id?: number;
            /** @description As records show it */
            name: string;
        };
        AffiliateReplacement: {
            /** @description As records show it */
            name: string;
            /**
             * Format: int64
             * @description Of the item as it was read; it counts the changes, from 1
             */
            rowVersion?: number;
            /** @description Where it is given, that of the path */
            id?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            updatedAt?: unknown;
        };
        AffiliateChange: {
            /** @description As records show it */
            name?: string | null;
            /**
             * Format: int64
             * @description Of the item as it was read; it counts the changes, from 1
             */
            rowVersion?: number;
            /** @description Where it is given, that of the path */
            id?: unknown;
            /** @description Ignored: here so that what was read can be sent back */
            updatedAt?: unknown;
        };
        /** @description Either `advanceSeconds` or `now` */
        ClockMoveInput: {
            /**
             * Format: int32
             * @description So far ahead of what the clock shows when the move begins
             */
            advanceSeconds?: number;
            /**
             * Format: date-time
             * @description The instant to move to: not past, and at most ten years ahead
             */
            now?: string;
        } & (unknown | unknown);
        TransactionDetail: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description What was done, for a reader; not to be parsed */
            message: string;
            /** @description With getSearchData */
            transaction?: components["schemas"]["Transaction"];
            routing?: components["schemas"]["Routing"];
            addressData?: components["schemas"]["DefaultAddress"];
            /** @description With getAddressData: all */
            addresses?: components["schemas"]["Address"][];
            /** @description With getSubscription: those that the payment started, or the one that it is a rebill of */
            subscriptions?: components["schemas"]["Subscription"][];
            sessionData?: components["schemas"]["Session"];
            /** @description Line items of the order or of the refund, when there are any */
            cart?: components["schemas"]["LineItem"][];
            /** @description Products of the cart, when the order is ecommerce */
            storefrontProducts?: components["schemas"]["StorefrontProduct"][];
        };
        Transaction: {
            /** @description The name of the gateway */
            gateway: string;
            /**
             * Format: uuid
             * @description The transaction id
             */
            messageID: string;
            /**
             * Format: int64
             * @description The order
             */
            orderId: number;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            sent: string;
            /** @description The email of the customer */
            email: string;
            /** @description The name of the application that made the transaction */
            application: string;
            /**
             * Format: int64
             * @description The application that made the transaction
             */
            applicationID: number;
            /**
             * Format: int64
             * @description The customer; 0 when there is none
             */
            customerID: number;
            /**
             * Format: int64
             * @description Of the price point; 0 without one
             */
            shortcodeID: number;
            /** @description Of the price point; empty without one */
            billingCode: string;
            /** @description A note on how it was processed, such as the words of the gateway */
            data: string;
            status: components["schemas"]["TransactionStatus"];
            statusID: components["schemas"]["TransactionStatusId"];
            /** @description Whether it did what was asked; of a transaction, whether money moved as it says */
            success: boolean;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            completed: string | null;
            /**
             * Format: int64
             * @description Of the price point; 0 without one
             */
            premium: number;
            /** @description Currency code of ISO 4217 */
            currency: string;
            /**
             * Format: int64
             * @description The price point; 0 when none was named
             */
            pricePointID: number;
            /** @description The price as text, such as `19.99 GBP` */
            pricePoint: string;
            /** @description The amount of the transaction, in major units of the currency */
            priceVal: number;
            /** @description The name of the product; empty without one */
            product: string;
            /**
             * Format: int64
             * @description The product; 0 when none was named
             */
            productID: number;
            /** @description The name of the campaign; empty without one */
            campaign: string;
            /**
             * Format: int64
             * @description The campaign; 0 when none was named
             */
            campaignID: number;
            /**
             * Format: int64
             * @description The shop; 0 or null when none was named
             */
            shopId: number;
            /** @description The name of the shop; empty without one */
            storeName: string;
            /** @description The domain of the shop, of ecommerce orders only */
            storeDomain: string;
            /** @description The root domain of the shop, of ecommerce orders only */
            storeRootDomain: string;
            /**
             * Format: int64
             * @description The merchant account; in an answer 0 or null before one was tried
             */
            merchantAccountId: number;
            /** @description The label of the merchant account */
            midName: string;
            /** @description The merchant id (MID) of the account at its acquirer */
            mid: string;
            /**
             * Format: int64
             * @description The company
             */
            companyId: number;
            /** @description The name of the company */
            company: string;
            /**
             * Format: int64
             * @description The tenant id
             */
            parentCompanyId: number;
            /** @description The name of the tenant */
            parentCompany: string;
            /** @description The first six digits of the card number; empty without a card */
            bin: string;
            /**
             * Format: int64
             * @description The last four digits of the card number as a number; 0 without a card
             */
            last4: number;
            /** @description The session of the visitor; empty when none was given */
            sessionId: string;
            /** @description The name of the customer */
            name: string;
            /** @description Whether a refund is possible at this moment */
            refundable: boolean;
            /** @description Whether all that was captured was given back */
            refunded: boolean;
            /** @description Whether an alert was received */
            hasAlert: boolean;
            /** @description Whether there was a chargeback, won or lost */
            chargedBack: boolean;
            /**
             * Format: int64
             * @description The try within its cycle; of the tries of a payment, counted from 1
             */
            attempt: number;
            /** @description true: authorized, and not captured yet */
            authOnly: boolean;
            /**
             * Format: int64
             * @description The cycle of the subscription that it pays for; 1 without a subscription
             */
            paymentNumber: number;
            /**
             * Format: int64
             * @description The tries of all cycles so far
             */
            totalAttempt: number;
            refundSource: components["schemas"]["RefundSourceId"];
            alertType: components["schemas"]["AlertTypeId"];
            alertSource: components["schemas"]["AlertSourceId"];
            /**
             * Format: uuid
             * @description The payment that a child belongs to; null of a payment itself
             */
            originalMessageId: string | null;
            /**
             * Format: int64
             * @description The application of the payment, of a child; else 0
             */
            originalApplicationId: number;
            /** @description The name of the application of the payment, of a child only */
            originalApplication: string;
            /** @description The currency of the shop; empty without one */
            storeCurrency: string;
            /**
             * Format: int64
             * @description What of the payer was on the black list, as a sum of: 1 email · 2 card fingerprint · 4 BIN · 8 extended BIN · 16 IP · 32 customer
             */
            blackListing: number;
            alertSourceName: components["schemas"]["AlertSource"];
            alertTypeName: components["schemas"]["AlertType"];
            refundSourceName: components["schemas"]["RefundSource"];
            /** @description true: paid with the first mobile wallet */
            walletPayA: boolean;
            /** @description true: paid with the second mobile wallet */
            walletPayB: boolean;
            /** @description The service's own id of the session, unique for each payment */
            serviceSession: string;
            /** @description The partner's id of the session, click or visit, as it was sent */
            partnerSession: string;
            cardBrandId: components["schemas"]["CardBrandId"];
            cardBrand: components["schemas"]["CardBrand"];
            /** @description Of a chargeback: it took money that had been given back already, or was on its way */
            exceedsCaptured?: boolean;
            /** @description Of a chargeback: what had been refunded when it came, pending refunds included */
            refundedBefore?: number;
            /** @description Refunds, chargebacks and alerts, in the order in which they came */
            childTransactions: components["schemas"]["ChildTransaction"][];
        };
        /**
         * @description The state of a payment, or of a refund, chargeback or alert, which is a transaction of its own
         * @enum {string}
         */
        TransactionStatus: "Created" | "Processing" | "RequiresAction" | "Authorized" | "Captured" | "Settled" | "Declined" | "Failed" | "Blocked" | "Expired" | "Unknown" | "Voided" | "RefundPending" | "Refunded" | "RefundFailed" | "ChargebackOpen" | "ChargebackUnderReview" | "ChargebackWon" | "ChargebackLost" | "ChargebackAccepted" | "ChargebackWithdrawn" | "AlertOpen" | "AlertResolved" | "AlertDeclined" | "AlertExpired";
        /**
         * Format: int32
         * @description The status as a number: 10 Created · 20 Processing · 30 RequiresAction · 40 Authorized · 50 Captured · 60 Settled · 70 Declined · 71 Failed · 72 Blocked · 73 Expired · 74 Unknown · 80 Voided · 90 RefundPending · 91 Refunded · 92 RefundFailed · 100 ChargebackOpen · 101 ChargebackUnderReview · 102 ChargebackWon · 103 ChargebackLost · 104 ChargebackAccepted · 105 ChargebackWithdrawn · 110 AlertOpen · 111 AlertResolved · 112 AlertDeclined · 113 AlertExpired
         * @enum {integer}
         */
        TransactionStatusId: 10 | 20 | 30 | 40 | 50 | 60 | 70 | 71 | 72 | 73 | 74 | 80 | 90 | 91 | 92 | 100 | 101 | 102 | 103 | 104 | 105 | 110 | 111 | 112 | 113;
        /**
         * Format: int32
         * @description Who asked for the refund; of a payment, for the latest of its refunds: 0 None · 1 CustomerService · 2 Admin · 3 CardApi · 4 AlertProvider · 5 CDRN · 6 RDR · 7 System · 8 Gateway
         * @enum {integer}
         */
        RefundSourceId: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;
        /**
         * Format: int32
         * @description What an alert warns of: 0 None · 1 ConfirmedFraud · 2 CustomerDispute · 3 EarlyFraudWarning · 4 AutoResolved · 5 OrderInquiry · 6 Cancellation
         * @enum {integer}
         */
        AlertTypeId: 0 | 1 | 2 | 3 | 4 | 5 | 6;
        /**
         * Format: int32
         * @description Where an alert came from: 0 None · 1 AlertProvider · 2 CDRN · 3 RDR · 4 OrderInquiry · 5 Acquirer · 6 Manual
         * @enum {integer}
         */
        AlertSourceId: 0 | 1 | 2 | 3 | 4 | 5 | 6;
        /**
         * @description Where an alert came from
         * @enum {string}
         */
        AlertSource: "None" | "AlertProvider" | "CDRN" | "RDR" | "OrderInquiry" | "Acquirer" | "Manual";
        /**
         * @description What an alert warns of
         * @enum {string}
         */
        AlertType: "None" | "ConfirmedFraud" | "CustomerDispute" | "EarlyFraudWarning" | "AutoResolved" | "OrderInquiry" | "Cancellation";
        /**
         * @description Who asked for the refund
         * @enum {string}
         */
        RefundSource: "None" | "CustomerService" | "Admin" | "CardApi" | "AlertProvider" | "CDRN" | "RDR" | "System" | "Gateway";
        /**
         * Format: int32
         * @description The card network: 0 Unknown · 1 NetworkA · 2 NetworkB · 3 NetworkC · 4 NetworkD · 5 NetworkE · 6 NetworkF
         * @enum {integer}
         */
        CardBrandId: 0 | 1 | 2 | 3 | 4 | 5 | 6;
        /**
         * @description The card network
         * @enum {string}
         */
        CardBrand: "Unknown" | "NetworkA" | "NetworkB" | "NetworkC" | "NetworkD" | "NetworkE" | "NetworkF";
        /** @description A refund, void, chargeback or alert */
        ChildTransaction: {
            /** @description The name of the gateway */
            gateway: string;
            /**
             * Format: uuid
             * @description The transaction id
             */
            messageID: string;
            /**
             * Format: int64
             * @description The order
             */
            orderId: number;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            sent: string;
            /** @description The email of the customer */
            email: string;
            /** @description The name of the application that made the transaction */
            application: string;
            /**
             * Format: int64
             * @description The application that made the transaction
             */
            applicationID: number;
            /**
             * Format: int64
             * @description The customer; 0 when there is none
             */
            customerID: number;
            /**
             * Format: int64
             * @description Of the price point; 0 without one
             */
            shortcodeID: number;
            /** @description Of the price point; empty without one */
            billingCode: string;
            /** @description A note on how it was processed, such as the words of the gateway */
            data: string;
            status: components["schemas"]["TransactionStatus"];
            statusID: components["schemas"]["TransactionStatusId"];
            /** @description Whether it did what was asked; of a transaction, whether money moved as it says */
            success: boolean;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            completed: string | null;
            /**
             * Format: int64
             * @description Of the price point; 0 without one
             */
            premium: number;
            /** @description Currency code of ISO 4217 */
            currency: string;
            /**
             * Format: int64
             * @description The price point; 0 when none was named
             */
            pricePointID: number;
            /** @description The price as text, such as `19.99 GBP` */
            pricePoint: string;
            /** @description The amount of the transaction, in major units of the currency */
            priceVal: number;
            /** @description The name of the product; empty without one */
            product: string;
            /**
             * Format: int64
             * @description The product; 0 when none was named
             */
            productID: number;
            /** @description The name of the campaign; empty without one */
            campaign: string;
            /**
             * Format: int64
             * @description The campaign; 0 when none was named
             */
            campaignID: number;
            /**
             * Format: int64
             * @description The shop; 0 or null when none was named
             */
            shopId: number;
            /** @description The name of the shop; empty without one */
            storeName: string;
            /** @description The domain of the shop, of ecommerce orders only */
            storeDomain: string;
            /** @description The root domain of the shop, of ecommerce orders only */
            storeRootDomain: string;
            /**
             * Format: int64
             * @description The merchant account; in an answer 0 or null before one was tried
             */
            merchantAccountId: number;
            /** @description The label of the merchant account */
            midName: string;
            /** @description The merchant id (MID) of the account at its acquirer */
            mid: string;
            /**
             * Format: int64
             * @description The company
             */
            companyId: number;
            /** @description The name of the company */
            company: string;
            /**
             * Format: int64
             * @description The tenant id
             */
            parentCompanyId: number;
            /** @description The name of the tenant */
            parentCompany: string;
            /** @description The first six digits of the card number; empty without a card */
            bin: string;
            /**
             * Format: int64
             * @description The last four digits of the card number as a number; 0 without a card
             */
            last4: number;
            /** @description The session of the visitor; empty when none was given */
            sessionId: string;
            /** @description The name of the customer */
            name: string;
            /** @description Whether a refund is possible at this moment */
            refundable: boolean;
            /** @description Whether all that was captured was given back */
            refunded: boolean;
            /** @description Whether an alert was received */
            hasAlert: boolean;
            /** @description Whether there was a chargeback, won or lost */
            chargedBack: boolean;
            /**
             * Format: int64
             * @description The try within its cycle; of the tries of a payment, counted from 1
             */
            attempt: number;
            /** @description true: authorized, and not captured yet */
            authOnly: boolean;
            /**
             * Format: int64
             * @description The cycle of the subscription that it pays for; 1 without a subscription
             */
            paymentNumber: number;
            /**
             * Format: int64
             * @description The tries of all cycles so far
             */
            totalAttempt: number;
            refundSource: components["schemas"]["RefundSourceId"];
            alertType: components["schemas"]["AlertTypeId"];
            alertSource: components["schemas"]["AlertSourceId"];
            /**
             * Format: uuid
             * @description The payment that a child belongs to; null of a payment itself
             */
            originalMessageId: string | null;
            /**
             * Format: int64
             * @description The application of the payment, of a child; else 0
             */
            originalApplicationId: number;
            /** @description The name of the application of the payment, of a child only */
            originalApplication: string;
            /** @description The currency of the shop; empty without one */
            storeCurrency: string;
            /**
             * Format: int64
             * @description What of the payer was on the black list, as a sum of: 1 email · 2 card fingerprint · 4 BIN · 8 extended BIN · 16 IP · 32 customer
             */
            blackListing: number;
            alertSourceName: components["schemas"]["AlertSource"];
            alertTypeName: components["schemas"]["AlertType"];
            refundSourceName: components["schemas"]["RefundSource"];
            /** @description true: paid with the first mobile wallet */
            walletPayA: boolean;
            /** @description true: paid with the second mobile wallet */
            walletPayB: boolean;
            /** @description The service's own id of the session, unique for each payment */
            serviceSession: string;
            /** @description The partner's id of the session, click or visit, as it was sent */
            partnerSession: string;
            cardBrandId: components["schemas"]["CardBrandId"];
            cardBrand: components["schemas"]["CardBrand"];
            /** @description Of a chargeback: it took money that had been given back already, or was on its way */
            exceedsCaptured?: boolean;
            /** @description Of a chargeback: what had been refunded when it came, pending refunds included */
            refundedBefore?: number;
            /** @description Refunds, chargebacks and alerts, in the order in which they came */
            childTransactions: unknown[];
        };
        /** @description Which merchant accounts were tried and passed over; of a child, its payment’s */
        Routing: {
            /** @description The tries, one merchant account after another */
            attempts: components["schemas"]["RoutedAttempt"][];
            /** @description The accounts passed over after the last try was declined */
            skipped: components["schemas"]["SkippedAccount"][];
        };
        /** @description A try at one merchant account */
        RoutedAttempt: {
            /**
             * Format: int32
             * @description The try within its cycle; of the tries of a payment, counted from 1
             */
            attempt: number;
            /**
             * @description What became of the try
             * @enum {string}
             */
            outcome: "pending" | "approved" | "declined" | "failed" | "unknown" | "action-required";
            /**
             * Format: int64
             * @description The merchant account; in an answer 0 or null before one was tried
             */
            merchantAccountId: number;
            /** @description The merchant id (MID) of the account at its acquirer */
            mid: string;
            /** @description The name of the gateway */
            gateway: string;
            /** @description Why it was declined, in the words of the gateway; empty when it was not */
            declineCode: string;
            /** @description What was done, for a reader; not to be parsed */
            message: string;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            at: string;
            /** @description The accounts passed over before this one, each with its reason */
            skipped: components["schemas"]["SkippedAccount"][];
            /** @description The label of the merchant account */
            midName: string;
            /** @description What the statement of the card shows */
            descriptor: string;
        };
        /** @description A merchant account that was passed over */
        SkippedAccount: {
            /**
             * Format: int64
             * @description The merchant account; in an answer 0 or null before one was tried
             */
            merchantAccountId: number;
            /**
             * @description already-tried, gateway-absent, other-gateway, credentials-unusable, credentials-refused, card-number-not-taken, amount-not-taken, currency-not-held, network-disabled, over-max-price or over-monthly-cap
             * @example over-monthly-cap
             */
            reason: string;
        };
        /** @description With getAddressData: the default address; null when none was given */
        DefaultAddress: {
            /**
             * @description What the address is for
             * @enum {string}
             */
            addressType: "DEFAULT" | "SHIPPING";
            /** @description The email of the customer */
            email: string;
            /**
             * Format: int64
             * @description The order
             */
            orderId: number;
            /**
             * Format: uuid
             * @description The transaction id
             */
            messageId: string;
            /** @description The given name of the person */
            firstName: string;
            /** @description The family name of the person */
            lastName: string;
            /** @description Street and number */
            address: string;
            /** @description The city, town or village */
            city: string;
            /** @description The ZIP or postal code */
            postalCode: string;
            /** @description The state of the US, or the region of another country */
            state: string;
            /** @description Two-letter country code of ISO 3166 */
            countryCode: string;
            /** @description The telephone number */
            phone: string;
        } | null;
        Address: {
            /**
             * @description What the address is for
             * @enum {string}
             */
            addressType: "DEFAULT" | "SHIPPING";
            /** @description The email of the customer */
            email: string;
            /**
             * Format: int64
             * @description The order
             */
            orderId: number;
            /**
             * Format: uuid
             * @description The transaction id
             */
            messageId: string;
            /** @description The given name of the person */
            firstName: string;
            /** @description The family name of the person */
            lastName: string;
            /** @description Street and number */
            address: string;
            /** @description The city, town or village */
            city: string;
            /** @description The ZIP or postal code */
            postalCode: string;
            /** @description The state of the US, or the region of another country */
            state: string;
            /** @description Two-letter country code of ISO 3166 */
            countryCode: string;
            /** @description The telephone number */
            phone: string;
        };
        Subscription: {
            /**
             * Format: int64
             * @description The tenant id
             */
            parentCompanyId: number;
            /**
             * Format: int64
             * @description The company
             */
            companyId: number;
            /** @description The name of the company */
            company: string;
            /**
             * Format: int64
             * @description The subscriber id
             */
            id: number;
            /**
             * Format: int64
             * @description The customer; 0 when there is none
             */
            customerID: number;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            subDate: string;
            /**
             * Format: int64
             * @description The order that started it
             */
            orderId: number;
            /** @description false: unsubscribed */
            active: boolean;
            /**
             * Format: date-time
             * @description ISO 8601, GMT; null while active
             */
            unsubDate: string | null;
            /** @description Name of the club */
            subscription: string;
            /** @description What the club is, for a reader */
            subscriptionDescription: string;
            /**
             * Format: date-time
             * @description ISO 8601, GMT: the start, after any trial
             */
            realStartDate: string;
            /** @description In major units of the currency */
            rebillAmount: number;
            /** @description Days of the present cycle, which ends with the next charge; during a trial, of the cycle after it */
            frequency: number;
            /** @description The merchant account; in an answer 0 or null before one was tried */
            merchantAccountId: number;
            /** @description The label of the merchant account */
            midName: string;
            /** @description The merchant id (MID) of the account at its acquirer */
            mid: string;
            /** @description true: no longer billed, until it is unfrozen */
            frozen: boolean;
            /**
             * Format: date-time
             * @description ISO 8601, GMT: the next charge; null when inactive or frozen
             */
            rebillDate: string | null;
        };
        /** @description With getSessionData; null when none was given */
        Session: {
            /** @description The session of the visitor */
            id: string;
            /** @description The IP address of the visitor */
            ip: string;
            /** @description The user agent of the visitor */
            useragent: string;
            /** @description The address of the page */
            url: string;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            timestamp: string;
            /** @description The city of the IP address */
            ipCity: string;
            /** @description The country of the IP address */
            ipCountryCode: string;
        } | null;
        LineItem: {
            /**
             * Format: int32
             * @description How many of it
             */
            Quantity: number;
            /**
             * Format: int64
             * @description The variant that was bought
             */
            StorefrontVariantId: number;
            /** @description The price of one, in major units of the currency */
            UnitPrice: number;
            /**
             * Format: int64
             * @description The product that was bought
             */
            StorefrontProductId: number;
            /**
             * Format: uuid
             * @description The transaction id
             */
            MessageId: string;
            /**
             * Format: int64
             * @description The shop; 0 when none was named
             */
            ShopId: number;
            /**
             * Format: int32
             * @description Numeric code of ISO 4217
             */
            CurrencyId: number;
            /** @description What one costs the shop, in major units of the currency */
            UnitCost: number;
            /**
             * Format: int32
             * @description The discount code; 0 when none was used
             */
            DiscountCodeId: number;
            /** @description What the discount code takes off the line, in major units of the currency */
            DiscountAmount: number;
            /**
             * Format: int32
             * @description The sales strategy; 0 when none was used
             */
            SalesStrategyId: number;
            /** @description What else is taken off the line, in major units of the currency */
            CustomDiscountAmount: number;
        };
        StorefrontProduct: {
            /**
             * Format: int64
             * @description The product
             */
            id: number;
            /**
             * Format: int64
             * @description The shop
             */
            shop_id: number;
            /**
             * Format: int64
             * @description The picture of the product
             */
            imageid: number;
            /** @description The name that shoppers see */
            title: string;
            /** @description Who makes the product */
            vendor: string;
            /** @description The type of the product */
            product_type: string;
            /** @description The name of the product in addresses of the shop */
            handle: string;
            /** @description The status in the shop */
            status: string;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            created_at: string;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            updated_at: string;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            last_refresh: string;
            /** @description The options of the product, such as its size */
            options: components["schemas"]["StorefrontOption"][];
            /** @description The variants of the product */
            variants: components["schemas"]["StorefrontVariant"][];
            /** @description The pictures of the product */
            images: components["schemas"]["StorefrontImage"][];
        };
        StorefrontOption: {
            /**
             * Format: int64
             * @description The option
             */
            id: number;
            /**
             * Format: int64
             * @description The product
             */
            product_id: number;
            /** @description The name of the option */
            name: string;
            /**
             * Format: int32
             * @description The place in its list, from 1
             */
            position: number;
            /** @description The values of the option, as raw text */
            values: string;
        };
        StorefrontVariant: {
            /**
             * Format: int64
             * @description The variant
             */
            id: number;
            /**
             * Format: int64
             * @description The product
             */
            product_id: number;
            /**
             * Format: int64
             * @description The item in the inventory
             */
            inventory_item_id: number;
            /** @description The name that shoppers see */
            title: string;
            /** @description The stock keeping unit */
            sku: string;
            /** @description Who ships it */
            fulfillment_service: string;
            /** @description The price, in major units */
            price: number;
            /** @description What it costs the shop, in major units */
            cost: number;
            /** @description The price before a discount; null when there was none */
            compare_at_price: number | null;
            /**
             * Format: int32
             * @description The place in its list, from 1
             */
            position: number;
            /** @description The value of the first option; null without one */
            option1: string | null;
            /** @description The value of the second option; null without one */
            option2: string | null;
            /** @description The value of the third option; null without one */
            option3: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            created_at: string;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            updated_at: string;
            /** @description Whether it is shipped */
            requires_shipping: boolean;
            /**
             * Format: int64
             * @description The picture of the variant; null without one
             */
            image_id: number | null;
        };
        StorefrontImage: {
            /**
             * Format: int64
             * @description The picture
             */
            id: number;
            /**
             * Format: int64
             * @description The product
             */
            product_id: number;
            /**
             * Format: int32
             * @description In pixels
             */
            width: number;
            /**
             * Format: int32
             * @description In pixels
             */
            height: number;
            /**
             * Format: int32
             * @description The place in its list, from 1
             */
            position: number;
            /** @description The address of the picture */
            src: string;
        };
        /** @description What every error looks like */
        Error: {
            /**
             * @description Always false
             * @constant
             */
            success: false;
            /** @description For a reader; not to be parsed */
            message: string;
            /**
             * @description Stable: see the list of codes
             * @example not_found
             */
            code: string;
            /**
             * @description What the contract calls the case: of the email service only
             * @example Invalid Tenant Key
             */
            error?: string;
            /** @description As in X-Request-Id */
            requestId: string;
            /**
             * Format: uuid
             * @description With `refund_failed`: the refund that the gateway refused
             */
            refundId?: string;
            /** @description The fields at fault */
            errors?: components["schemas"]["ErrorDetail"][];
        };
        ErrorDetail: {
            /**
             * @description The part of the request that is meant
             * @enum {string}
             */
            in: "body" | "query" | "path" | "header";
            /**
             * @description JSON Pointer to what is wrong: into the body, or `/query/…`, `/path/…` or `/header/…`
             * @example /amount
             */
            pointer: string;
            /**
             * @description What is wrong
             * @example amount is required
             */
            detail: string;
        };
        /** @description The same with the members of RFC 9457 */
        Problem: {
            /** @description Where the code is described */
            type: string;
            /** @description What the code means */
            title: string;
            /**
             * Format: int32
             * @description The status of the answer
             */
            status: number;
            /** @description As `message` */
            detail: string;
            /**
             * @description Always false
             * @constant
             */
            success: false;
            /** @description For a reader; not to be parsed */
            message: string;
            /**
             * @description Stable: see the list of codes
             * @example not_found
             */
            code: string;
            /**
             * @description What the contract calls the case: of the email service only
             * @example Invalid Tenant Key
             */
            error?: string;
            /** @description As in X-Request-Id */
            requestId: string;
            /**
             * Format: uuid
             * @description With `refund_failed`: the refund that the gateway refused
             */
            refundId?: string;
            /** @description The fields at fault */
            errors?: components["schemas"]["ErrorDetail"][];
        };
        RefundResult: {
            /** @description Whether it did what was asked; of a transaction, whether money moved as it says */
            success: boolean;
            /** @description What was done, for a reader; not to be parsed */
            message: string;
            /**
             * Format: uuid
             * @description The `messageID` of the refund
             */
            refundId: string;
            status: components["schemas"]["TransactionStatus"];
            statusID: components["schemas"]["TransactionStatusId"];
        };
        UnsubscribeResult: {
            /** @description Whether it did what was asked; of a transaction, whether money moved as it says */
            success: boolean;
            /**
             * Format: int64
             * @description How many subscriptions this request has ended; 0 when none was active
             */
            unsubscribes: number;
            /** @description What was done, for a reader; not to be parsed */
            message: string;
        };
        Customer: {
            /** @description Whether it did what was asked; of a transaction, whether money moved as it says */
            success: boolean;
            /** @description What was done */
            message: string;
            /**
             * Format: int64
             * @description The customer id
             */
            id: number;
            /**
             * Format: int64
             * @description The tenant id
             */
            parentCompanyId: number;
            /** @description The email of the customer */
            email: string;
            /** @description The given name of the person */
            firstName: string;
            /** @description The family name of the person */
            lastName: string;
            /** @description The telephone number */
            phone: string;
            /** @description The addresses; the first is the default */
            addresses: components["schemas"]["CustomerAddress"][];
            /** @description The cards that are kept */
            paymentMethods: components["schemas"]["PaymentMethod"][];
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            updatedAt: string;
            /**
             * Format: int64
             * @description Grows with every change of the customer; also the ETag
             * @example 1
             */
            rowVersion: number;
            /** @description true: test data, which no gateway of the real world has seen */
            sandbox: boolean;
            /** @description true: nothing personal is left of the customer */
            erased: boolean;
        };
        CustomerAddress: {
            /**
             * @description What the address is for
             * @enum {string}
             */
            addressType: "DEFAULT" | "SHIPPING";
            /** @description The email of the customer */
            email: string;
            /** @description The given name of the person */
            firstName: string;
            /** @description The family name of the person */
            lastName: string;
            /** @description Street and number */
            address: string;
            /** @description The city, town or village */
            city: string;
            /** @description The ZIP or postal code */
            postalCode: string;
            /** @description The state of the US, or the region of another country */
            state: string;
            /** @description Two-letter country code of ISO 3166 */
            countryCode: string;
            /** @description The telephone number */
            phone: string;
        };
        PaymentMethod: {
            /**
             * Format: uuid
             * @description The payment method
             */
            id: string;
            cardBrandId: components["schemas"]["CardBrandId"];
            cardBrand: components["schemas"]["CardBrand"];
            /** @description The first six digits of the card number; empty without a card */
            bin: string;
            /** @description The last four digits of the card number */
            last4: string;
            /**
             * Format: int32
             * @description The month of expiry, from 1 to 12
             */
            expMonth: number;
            /**
             * Format: int32
             * @description The year of expiry, with four digits
             */
            expYear: number;
            /** @description Pays at `/v1/payments`, instead of `card` */
            token: string;
            /** @description Whether it is the payment method to be used when none is named */
            isDefault: boolean;
        };
        CustomerList: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description The customers of this page */
            customers: components["schemas"]["CustomerRecord"][];
            /** @description Whether another page follows */
            hasMore: boolean;
            /** @description `cursor` of the next page */
            nextCursor: string | null;
        };
        CustomerRecord: {
            /**
             * Format: int64
             * @description The customer id
             */
            id: number;
            /**
             * Format: int64
             * @description The tenant id
             */
            parentCompanyId: number;
            /** @description The email of the customer */
            email: string;
            /** @description The given name of the person */
            firstName: string;
            /** @description The family name of the person */
            lastName: string;
            /** @description The telephone number */
            phone: string;
            /** @description The addresses; the first is the default */
            addresses: components["schemas"]["CustomerAddress"][];
            /** @description The cards that are kept */
            paymentMethods: components["schemas"]["PaymentMethod"][];
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            updatedAt: string;
            /**
             * Format: int64
             * @description Grows with every change of the customer; also the ETag
             * @example 1
             */
            rowVersion: number;
            /** @description true: test data, which no gateway of the real world has seen */
            sandbox: boolean;
            /** @description true: nothing personal is left of the customer */
            erased: boolean;
        };
        ErasureResult: {
            /** @description Whether it did what was asked; of a transaction, whether money moved as it says */
            success: boolean;
            /** @description What was done, for a reader; not to be parsed */
            message: string;
        };
        AddedPaymentMethod: {
            /** @description Whether it did what was asked; of a transaction, whether money moved as it says */
            success: boolean;
            /** @description What was done */
            message: string;
            /**
             * Format: uuid
             * @description The payment method
             */
            id: string;
            cardBrandId: components["schemas"]["CardBrandId"];
            cardBrand: components["schemas"]["CardBrand"];
            /** @description The first six digits of the card number; empty without a card */
            bin: string;
            /** @description The last four digits of the card number */
            last4: string;
            /**
             * Format: int32
             * @description The month of expiry, from 1 to 12
             */
            expMonth: number;
            /**
             * Format: int32
             * @description The year of expiry, with four digits
             */
            expYear: number;
            /** @description Pays at `/v1/payments`, instead of `card` */
            token: string;
            /** @description Whether it is the payment method to be used when none is named */
            isDefault: boolean;
            /**
             * Format: int64
             * @description The customer
             */
            customerId: number;
            /**
             * Format: int64
             * @description Grows with every change of the customer; also the ETag
             * @example 1
             */
            rowVersion: number;
        };
        TransactionSearchResult: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description What was done, for a reader; not to be parsed */
            message: string;
            /**
             * Format: int64
             * @description Records in this page
             */
            count: number;
            /**
             * Format: int64
             * @description The page, counted from 1
             */
            pageNumber: number;
            /** @description Whether another page follows */
            moreResults: boolean;
            /** @description The records of this page, the newest first */
            transactions: components["schemas"]["SearchTransactionRecord"][];
        };
        SearchTransactionRecord: {
            /** @description The name of the gateway */
            gateway: string;
            /**
             * Format: uuid
             * @description The id of a payment, or of a refund, chargeback or alert of it
             */
            transactionId: string;
            /**
             * Format: int64
             * @description The order
             */
            orderId: number;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            sent: string;
            /** @description The email of the customer */
            email: string;
            /** @description true: test data, which no gateway of the real world has seen */
            sandbox: boolean;
            /** @description The name of the application that made the transaction */
            application: string;
            /**
             * Format: int64
             * @description The application: a kind from 1 to 5, an application of the tenant from 100, or the kind of a child
             */
            applicationId: number;
            status: components["schemas"]["TransactionStatus"];
            statusId: components["schemas"]["TransactionStatusId"];
            /** @description Whether it did what was asked; of a transaction, whether money moved as it says */
            success: boolean;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            completed: string | null;
            /** @description Currency code of ISO 4217 */
            currency: string;
            /** @description In major units of the currency; of a payment what was captured, once that is known */
            amount: number;
            /** @description The merchant id (MID) of the account at its acquirer */
            mid: string;
            /** @description What the statement of the card shows */
            descriptor: string;
            /**
             * Format: int64
             * @description The customer
             */
            customerId: number;
            /** @description The authorization code of the issuer; empty before there is one */
            authCode: string;
            /** @description The id at the gateway; empty before there is one */
            gatewayTransactionId: string;
            /** @description The given name of the person */
            firstName: string;
            /** @description The family name of the person */
            lastName: string;
            /** @description The first six digits of the card number; empty without a card */
            bin: string;
            /** @description The last four digits of the card number */
            last4: string;
            /** @description Whether all that was captured was given back */
            refunded: boolean;
            /** @description Whether a refund is possible at this moment */
            refundable: boolean;
            /** @description Whether an alert was received */
            hasAlert: boolean;
            /** @description Whether there was a chargeback, won or lost */
            chargedBack: boolean;
            /** @description The payment that a child belongs to; empty of a payment itself */
            originalTransactionId: string;
            /** @description The name of the kind of the application */
            application2: string;
            /**
             * Format: int64
             * @description The kind of the application: 1 Checkout · 2 Ecommerce · 3 Rebill · 4 Rebill retry · 5 Manual · 10 Refund · 11 Void · 20 Chargeback · 30 Alert
             */
            applicationId2: number;
            /**
             * Format: int64
             * @description The shop; 0 or null when none was named
             */
            shopId: number;
            /** @description The name of the shop; empty without one */
            storeName: string;
            /** @description The domain of the shop, of ecommerce orders only */
            storeDomain: string;
            /** @description The root domain of the shop, of ecommerce orders only */
            storeRootDomain: string;
            /** @description The name of the application of the payment, of a child only */
            originalApplication: string;
            /**
             * Format: int64
             * @description The application of the payment, of a child; else 0
             */
            originalApplicationId: number;
            /**
             * Format: int64
             * @description The merchant account; in an answer 0 or null before one was tried
             */
            merchantAccountId: number;
            /** @description The label of the merchant account */
            midName: string;
            /**
             * Format: int64
             * @description The company
             */
            companyId: number;
            /** @description The name of the company */
            company: string;
            /**
             * Format: int64
             * @description The tenant id
             */
            parentCompanyId: number;
            /**
             * Format: int64
             * @description The subscription that it renews, or the first that it starts; 0 without one
             */
            subId: number;
            alertSource: components["schemas"]["AlertSource"];
            alertSourceId: components["schemas"]["AlertSourceId"];
            alertType: components["schemas"]["AlertType"];
            alertTypeId: components["schemas"]["AlertTypeId"];
            refundSource: components["schemas"]["RefundSource"];
            refundSourceId: components["schemas"]["RefundSourceId"];
            /** @description The country of the card, by its BIN; empty when it is not known */
            binCountry: string;
            /** @description The country of the IP address; empty when it is not known */
            ipCountry: string;
            /**
             * Format: int64
             * @description The order that was submitted; that of the payment, for its children as well
             */
            submitOrderId: number;
            /** @description The name of the campaign; empty without one */
            campaign: string;
            /**
             * Format: int64
             * @description The campaign; in an answer 0 or null when none was named
             */
            campaignId: number;
            /** @description The name of the affiliate; empty without one */
            affiliate: string;
            /**
             * Format: int64
             * @description The affiliate; in an answer 0 or null when none was named
             */
            affiliateId: number;
            /** @description The name of the product; empty without one */
            product: string;
            /**
             * Format: int64
             * @description The product; in an answer 0 or null when none was named
             */
            productId: number;
            /**
             * Format: int64
             * @description The cycle of the subscription that it pays for; 1 without a subscription
             */
            paymentNumber: number;
            /**
             * Format: int64
             * @description The try within its cycle; of the tries of a payment, counted from 1
             */
            attempt: number;
        };
        UnansweredPaymentsPage: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /**
             * Format: int64
             * @description Items of this page
             */
            count: number;
            /** @description Whether another page follows */
            moreResults: boolean;
            /** @description `cursor` of the next page */
            next: string | null;
            /** @description The items of this page */
            items: components["schemas"]["UnansweredPayment"][];
        };
        UnansweredPayment: {
            /**
             * Format: uuid
             * @description The payment
             */
            transactionId: string;
            /**
             * Format: int64
             * @description The order
             */
            orderId: number;
            /**
             * Format: int64
             * @description The customer
             */
            customerId: number;
            /**
             * Format: int64
             * @description The account that was asked last
             */
            merchantAccountId: number;
            /** @description The label of the merchant account */
            midName: string;
            /** @description The gateway that has not answered */
            gateway: string;
            /** @description Currency code of ISO 4217 */
            currency: string;
            /** @description What was asked of the card, in major units */
            amount: number;
            /**
             * Format: date-time
             * @description When the payment was submitted
             */
            sent: string;
            /**
             * Format: date-time
             * @description When its outcome first was unknown
             */
            unknownSince: string;
        };
        PaymentEventsPage: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /**
             * Format: int64
             * @description Items of this page
             */
            count: number;
            /** @description Whether another page follows */
            moreResults: boolean;
            /** @description `cursor` of the next page */
            next: string | null;
            /** @description The items of this page */
            items: components["schemas"]["PaymentEvent"][];
        };
        PaymentEvent: {
            /**
             * Format: int64
             * @description Its place among the events of the payment, from 0
             */
            revision: number;
            /**
             * @description What happened
             * @example PaymentCaptured
             */
            type: string;
            /**
             * Format: date-time
             * @description When it holds in the business
             */
            at: string;
            /**
             * Format: date-time
             * @description When the ledger recorded it
             */
            recordedAt: string;
            /** @description Who caused it; null for the ledger itself */
            actor: string | null;
            /** @description The key of the request that caused it */
            keyId: string | null;
            /** @description The `X-Request-Id` of that request */
            requestId: string | null;
            /**
             * Format: uuid
             * @description The payment, or the child that it is about: a refund, a chargeback, an alert
             */
            transactionId: string;
            /** @description In major units of `currency` */
            amount: number | null;
            /**
             * @description Currency code of ISO 4217
             * @example GBP
             */
            currency: string;
            /**
             * Format: int64
             * @description That it was sent through, where the event says so
             */
            merchantAccountId: number | null;
            /** @description Of a decline or a chargeback, as the gateway gave it */
            code: string | null;
            /** @description The approval code of the issuer */
            authCode: string | null;
            /** @description Of the provider that reported it */
            reference: string | null;
            /** @description A reason in words; may be empty */
            note: string;
        };
        PaymentEntriesPage: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /**
             * Format: int64
             * @description Items of this page
             */
            count: number;
            /** @description Whether another page follows */
            moreResults: boolean;
            /** @description `cursor` of the next page */
            next: string | null;
            /** @description The items of this page */
            items: components["schemas"]["JournalEntry"][];
        };
        JournalEntry: {
            /**
             * Format: int64
             * @description The event that posted it, by its `revision`
             */
            revision: number;
            /** @description The type of that event */
            description: string;
            /**
             * Format: date-time
             * @description When it holds in the business
             */
            at: string;
            /**
             * Format: int64
             * @description The merchant account; in an answer 0 or null before one was tried
             */
            merchantAccountId: number;
            /** @description Debits and credits are equal in each currency */
            lines: components["schemas"]["JournalLine"][];
        };
        JournalLine: {
            /**
             * @description By its name in the trial balance
             * @example sales
             */
            account: string;
            /**
             * @description The currency of the line
             * @example GBP
             */
            currency: string;
            /** @description In major units of the currency */
            debit: number;
            /** @description In major units of the currency */
            credit: number;
        };
        PaymentEmailsPage: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /**
             * Format: int64
             * @description Items of this page
             */
            count: number;
            /** @description Whether another page follows */
            moreResults: boolean;
            /** @description `cursor` of the next page */
            next: string | null;
            /** @description The items of this page */
            items: components["schemas"]["Email"][];
        };
        Email: {
            /**
             * Format: uuid
             * @description The id of the email
             */
            id: string;
            /**
             * @description `submitted`, or what the ledger mailed about by itself
             * @enum {string}
             */
            kind: "submitted" | "refunded" | "unsubscribed" | "rebill-failed" | "frozen" | "renewed" | "invited" | "password-reset";
            /**
             * @description `accepted`, then `deferred` while it is tried again, then `sent` or `failed`
             * @enum {string}
             */
            status: "accepted" | "deferred" | "sent" | "failed";
            /** @description Why it is deferred or failed; empty for none */
            reason: string;
            /** @description Whether it was handed to no server, and kept instead */
            kept: boolean;
            /** @description true: test data, which no gateway of the real world has seen */
            sandbox: boolean;
            /** @description null once nothing is kept of it */
            from: components["schemas"]["EmailSender"];
            /** @description The recipients */
            to: components["schemas"]["EmailAddress"][];
            /** @description Those of a copy */
            cc: components["schemas"]["EmailAddress"][];
            /** @description Those of a hidden copy */
            bcc: components["schemas"]["EmailAddress"][];
            /** @description The subject line */
            subject: string;
            /** @description `string`, or the name of a template */
            template: string;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            changedAt: string;
            /**
             * Format: date-time
             * @description null: it has ended
             */
            nextTryAt: string | null;
            /**
             * Format: uuid
             * @description The email that it sends again; null for none
             */
            resentFrom: string | null;
            /** @description Each try, the first first */
            history: components["schemas"]["EmailAttempt"][];
        };
        EmailSender: {
            /** @description May be empty */
            name: string;
            /** @description The email address */
            address: string;
        } | null;
        EmailAddress: {
            /** @description May be empty */
            name: string;
            /** @description The email address */
            address: string;
        };
        EmailAttempt: {
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            at: string;
            /**
             * @description `kept`: it was handed to no server
             * @enum {string}
             */
            outcome: "sent" | "deferred" | "failed" | "kept" | "suppressed" | "opened" | "clicked";
            /** @description Whom it is about; empty: all that were left */
            recipient: string;
            /** @description A code, such as that of the server */
            reason: string;
            /** @description The words of the server */
            response: string;
        };
        PaymentWebhooksPage: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /**
             * Format: int64
             * @description Items of this page
             */
            count: number;
            /** @description Whether another page follows */
            moreResults: boolean;
            /** @description `cursor` of the next page */
            next: string | null;
            /** @description The items of this page */
            items: components["schemas"]["WebhookDelivery"][];
        };
        WebhookDelivery: {
            /**
             * Format: uuid
             * @description The id of the delivery
             */
            id: string;
            /**
             * Format: uuid
             * @description `webhook-id`: the same at every endpoint, in every try and replay
             */
            messageId: string;
            /**
             * Format: uuid
             * @description The endpoint
             */
            endpointId: string;
            /**
             * @description The type of the message; `webhook.test` of one on demand
             * @example customer_lead.paid
             */
            type: string;
            /**
             * @description `held`: the endpoint is paused. `dead`: given up, until it is replayed. `delivered`: answered with 2xx
             * @enum {string}
             */
            status: "pending" | "held" | "delivered" | "dead";
            /**
             * Format: int64
             * @description Tries altogether
             */
            attempts: number;
            /**
             * Format: date-time
             * @description The next try; null unless it is pending
             */
            nextAttemptAt: string | null;
            /**
             * @description Why the last try failed: a status, or `timeout`, `connection_refused`, `connection_failed`, `name_not_resolved`, `certificate_refused`, `address_refused`, `url_refused`, `unreadable`; why it was given up without one: `endpoint_removed`, `endpoint_disabled`. null: it did not fail
             * @example 503
             */
            reason: string | null;
            /**
             * Format: date-time
             * @description When it happened
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            changedAt: string;
        };
        SavedSearchesPage: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /**
             * Format: int64
             * @description Items of this page
             */
            count: number;
            /** @description Whether another page follows */
            moreResults: boolean;
            /** @description `cursor` of the next page */
            next: string | null;
            /** @description The items of this page */
            items: components["schemas"]["SavedSearch"][];
        };
        SavedSearch: {
            /**
             * Format: uuid
             * @description The id of the item
             */
            id: string;
            /**
             * @description Each once, in capital letters or not
             * @example Captured last week
             */
            name: string;
            search: components["schemas"]["SavedSearchFilters"];
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            createdAt: string;
        };
        SavedSearchAnswer: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description What was done, for a reader; not to be parsed */
            message: string;
            /** @description What was asked for or changed, as it is now */
            item: components["schemas"]["SavedSearch"];
        };
        MerchantAccountPage: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /**
             * Format: int64
             * @description Items of this page
             */
            count: number;
            /** @description Whether another page follows */
            moreResults: boolean;
            /** @description `cursor` of the next page */
            next: string | null;
            /** @description The items of this page */
            items: components["schemas"]["MerchantAccount"][];
        };
        MerchantAccount: {
            /**
             * Format: int64
             * @description The merchant account id
             */
            id: number;
            /**
             * Format: int64
             * @description Grows with every change of the account; also the ETag
             * @example 1
             */
            rowVersion: number;
            /** @description The merchant id (MID) of the account at its acquirer */
            mid: string;
            /** @description The label of the account; a payment shows as `midName` what it was when the account was tried */
            title: string;
            /**
             * Format: int64
             * @description The company
             */
            companyId: number;
            /**
             * Format: int64
             * @description The gateway that payments are sent to
             */
            gatewayId: number;
            /** @description What the statement of the card shows */
            descriptor: string;
            /** @description The currency of fees, caps and the largest price; one of those that it holds */
            defaultCurrency: string;
            /** @description The currencies that it takes, each with the credentials for the gateway */
            currencies: components["schemas"]["MerchantAccountCurrency"][];
            /** @description Whether it takes cards of NetworkA; true unless said otherwise */
            enabledNetworkA: boolean;
            /** @description Whether it takes cards of NetworkB; true unless said otherwise */
            enabledNetworkB: boolean;
            /** @description The largest single payment in `defaultCurrency`, in major units; null for no limit */
            maxPrice: number | null;
            /** @description The merchant category code: four digits */
            mcc: string;
            /** @description How a built descriptor begins; empty: with `descriptor` */
            dynamicDescriptorPrefix: string;
            /** @description The same for cards of NetworkB; empty: `dynamicDescriptorPrefix` */
            dynamicDescriptorPrefix_NetworkB: string;
            /** @description The agent who brought the account */
            agent: string;
            /** @description The bank that pays the merchant out */
            acquiringBank: string;
            /** @description The BIN of the acquirer at NetworkA */
            acquirerBINNetworkA: string;
            /** @description The BIN of the acquirer at NetworkB */
            acquirerBINNetworkB: string;
            /** @description The payment service provider */
            psp: string;
            /** @description The routing number of the bank account that is paid into */
            routingNumber: string;
            /** @description The number of the bank account that is paid into */
            accountNumber: string;
            /** @description A short suffix to tell accounts apart */
            shorthandSuffix: string;
            /** @description Notes; may have several lines */
            notes: string;
            /** @description The card acceptor id */
            caid: string;
            /** @description Notes on chargeback mitigation; may have several lines */
            chargebackMitigationNotes: string;
            /** @description Free for the merchant */
            merchantDefinedField1: string;
            /** @description Free for the merchant */
            merchantDefinedField2: string;
            /** @description Free for the merchant */
            merchantDefinedField3: string;
            /** @description Free for the tenant */
            customField1: string;
            /** @description Free for the tenant */
            customField2: string;
            /** @description Free for the tenant */
            customField3: string;
            /** @description Whether the account may take part in the premium program */
            allowPremiumProgram: boolean;
            /** @description Whether the account is fully live at its acquirer */
            fullyLive: boolean;
            /** @description Whether a soft decline is tried again at another account */
            allowRetriesFromOtherMids: boolean;
            /** @description Whether rebills are tried again after insufficient funds */
            allowInsufficientFundsRetries: boolean;
            /** @description Whether refunds are allowed after the refund window */
            forceAllowRefunds: boolean;
            /** @description Whether the descriptor is built for each payment */
            dynamicDescriptorEnabled: boolean;
            /**
             * Format: int64
             * @description What a built descriptor shows after its prefix: 0 nothing · 1 the order id · 2 the shop · 3 the product
             */
            dynamicDescriptorFormat: number;
            /**
             * Format: int64
             * @description The vertical; 0 when none was named
             */
            verticalId: number;
            /**
             * Format: int64
             * @description The brand; 0 when none was named
             */
            brandId: number;
            /**
             * Format: int64
             * @description The provider of chargeback mitigation; 0 when none was named
             */
            chargebackMitigationProviderId: number;
            /**
             * Format: int64
             * @description The access to the portal of the processor; 0 when none was named
             */
            processorPortalAccessId: number;
            /**
             * Format: int64
             * @description The owner of the merchant id; 0 when none was named
             */
            midOwnerId: number;
            /** @description The most that is captured in a calendar month (GMT) in `defaultCurrency`, in major units; 0 for no cap */
            monthlyCap: number;
            /** @description Held back of each capture, in per cent of it */
            reservePercentage: number;
            /** @description The discount rate, in per cent of each capture */
            discountRatePercentage: number;
            /** @description Of each try, in major units of `defaultCurrency` */
            gatewayTransactionFee: number;
            /** @description Of each chargeback, in major units of `defaultCurrency` */
            chargebackFee: number;
            /** @description Of each RDR case, in major units of `defaultCurrency` */
            rdrFee: number;
            /** @description Of each alert of the provider, in major units of `defaultCurrency` */
            alertProviderFee: number;
            /** @description Of each CDRN alert, in major units of `defaultCurrency` */
            cdrnFee: number;
            /** @description Of each authorization, in major units of `defaultCurrency` */
            bankAuthFee: number;
            /** @description Of each decline, in major units of `defaultCurrency` */
            bankDeclineFee: number;
            /** @description Of each address check, in major units of `defaultCurrency` */
            bankAVSFee: number;
            /** @description Of each try, in major units of `defaultCurrency` */
            customFee: number;
            /** @description Of each approved try, in major units of `defaultCurrency` */
            customFeeApprovedOnly: number;
            /**
             * Format: int64
             * @description The tenant id
             */
            parentCompanyId: number;
            /** @description The name of the tenant */
            parentCompany: string;
            /** @description The name of the company */
            company: string;
            /** @description The name of the gateway; empty where the host lacks it */
            gateway: string;
            /** @description Empty: nothing names these ids */
            vertical: string;
            /** @description Empty: nothing names these ids */
            brand: string;
            /** @description Empty: nothing names these ids */
            chargebackMitigationProvider: string;
            /** @description Empty: nothing names these ids */
            processorPortalAccess: string;
            /**
             * Format: date-time
             * @description Since when live payments find no room under `monthlyCap`; null while they do, and from the first of the next month
             */
            capLimited: string | null;
        };
        MerchantAccountCurrency: {
            /** @description Currency code of ISO 4217 */
            currency: string;
            gatewayCredentials: components["schemas"]["MaskedCredentials"];
        };
        /** @description Of a secret that is kept only asterisks are shown; empty where there is none */
        MaskedCredentials: {
            /** @description A key of the gateway; masked when it is shown */
            apiKey: string;
            /** @description A user name at the gateway; masked when it is shown */
            username: string;
            /** @description A password at the gateway; masked when it is shown */
            password: string;
            /** @description An email address at the gateway; masked when it is shown */
            emailAddress: string;
        };
        MerchantAccountResult: {
            /** @description Whether it did what was asked; of a transaction, whether money moved as it says */
            success: boolean;
            /** @description What was done */
            message: string;
            /** @description The account as it is now */
            returnVal: components["schemas"]["MerchantAccount"];
        };
        MerchantAccountBatchResult: {
            /** @description Whether every line was opened */
            success: boolean;
            /** @description What was done, for a reader; not to be parsed */
            message: string;
            /**
             * Format: int32
             * @description The lines
             */
            count: number;
            /**
             * Format: int32
             * @description The lines that were opened
             */
            opened: number;
            /** @description In the order of the lines */
            results: components["schemas"]["MerchantAccountLine"][];
        };
        MerchantAccountLine: {
            /**
             * Format: int32
             * @description From 1; without the header and empty lines
             */
            line: number;
            /** @description Whether it did what was asked; of a transaction, whether money moved as it says */
            success: boolean;
            /**
             * Format: int64
             * @description The merchant account id; null when not opened
             */
            id: number | null;
            /** @description What was done, for a reader; not to be parsed */
            message: string;
            /** @description Null, an error code, or `not_attempted` where another line was refused */
            code: string | null;
            /** @description The fields at fault */
            errors: components["schemas"]["MerchantAccountLineError"][];
        };
        MerchantAccountLineError: {
            /** @description JSON Pointer into the line, or empty */
            pointer: string;
            /** @description What is wrong */
            detail: string;
        };
        Payment: {
            /**
             * Format: uuid
             * @description The transaction id of the payment
             */
            id: string;
            status: components["schemas"]["TransactionStatus"];
            statusId: components["schemas"]["TransactionStatusId"];
            /** @description Whether it did what was asked; of a transaction, whether money moved as it says */
            success: boolean;
            /** @description What the gateway said */
            message: string;
            /** @description In major units of the currency */
            amount: number;
            /** @description Currency code of ISO 4217 */
            currency: string;
            /** @description In major units of the currency */
            authorizedAmount: number;
            /** @description In major units of the currency */
            capturedAmount: number;
            /** @description In major units of the currency */
            refundedAmount: number;
            /** @description In major units of the currency */
            pendingRefundAmount: number;
            /** @description In major units of the currency */
            refundableAmount: number;
            /** @description true: test data, which no gateway of the real world has seen */
            sandbox: boolean;
            /**
             * Format: int64
             * @description The order
             */
            orderId: number;
            /**
             * Format: int64
             * @description The customer
             */
            customerId: number;
            /** @description The email of the customer */
            email: string;
            /**
             * Format: int64
             * @description The application: a kind from 1 to 5, an application of the tenant from 100, or the kind of a child
             */
            applicationId: number;
            /**
             * Format: int64
             * @description The company
             */
            companyId: number;
            /**
             * Format: int64
             * @description The shop; 0 or null when none was named
             */
            shopId: number | null;
            /**
             * Format: int64
             * @description The campaign; in an answer 0 or null when none was named
             */
            campaignId: number | null;
            /**
             * Format: int64
             * @description The affiliate; in an answer 0 or null when none was named
             */
            affiliateId: number | null;
            /**
             * Format: int64
             * @description The product; in an answer 0 or null when none was named
             */
            productId: number | null;
            /**
             * Format: int64
             * @description The price point; in an answer null when none was named
             */
            pricePointId: number | null;
            /**
             * Format: int64
             * @description The merchant account; in an answer 0 or null before one was tried
             */
            merchantAccountId: number | null;
            /** @description What the statement of the card shows */
            descriptor: string;
            /** @description The authorization code of the issuer; empty before there is one */
            authCode: string;
            /** @description The id at the gateway; empty before there is one */
            gatewayTransactionId: string;
            /** @description Why it was declined, in the words of the gateway; empty when it was not */
            declineCode: string;
            /** @description The partner's id of the session, click or visit, as it was sent */
            partnerSession: string | null;
            /** @description The service's own id of the session, unique for each payment */
            serviceSession: string;
            /** @description true: paid with the first mobile wallet */
            walletPayA: boolean;
            /** @description true: paid with the second mobile wallet */
            walletPayB: boolean;
            card: components["schemas"]["PaymentCard"];
            /** @description The tries, one merchant account after another */
            attempts: components["schemas"]["PaymentAttempt"][];
            nextAction: components["schemas"]["NextAction"];
            /** @description The refunds, in the order in which they were asked for */
            refunds: components["schemas"]["Refund"][];
            /** @description What the payment starts once it is captured, listed from the first */
            subscriptions: components["schemas"]["PaymentSubscription"][];
            /**
             * Format: int64
             * @description The subscription that it renews, or the first that it starts
             */
            subscriptionId: number | null;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            completedAt: string | null;
        };
        /** @description The card; null without one, and once it is erased */
        PaymentCard: {
            /** @description The card for a later payment of the same customer */
            token: string;
            /** @description The first six digits of the card number; empty without a card */
            bin: string;
            /** @description The last four digits of the card number */
            last4: string;
            brandId: components["schemas"]["CardBrandId"];
            brand: components["schemas"]["CardBrand"];
            /**
             * Format: int32
             * @description The month of expiry, from 1 to 12
             */
            expMonth: number;
            /**
             * Format: int32
             * @description The year of expiry, with four digits
             */
            expYear: number;
        } | null;
        /** @description A try at one merchant account */
        PaymentAttempt: {
            /**
             * Format: int32
             * @description The try within its cycle; of the tries of a payment, counted from 1
             */
            attempt: number;
            /**
             * @description What became of the try
             * @enum {string}
             */
            outcome: "pending" | "approved" | "declined" | "failed" | "unknown" | "action-required";
            /**
             * Format: int64
             * @description The merchant account; in an answer 0 or null before one was tried
             */
            merchantAccountId: number;
            /** @description The merchant id (MID) of the account at its acquirer */
            mid: string;
            /** @description The name of the gateway */
            gateway: string;
            /** @description Why it was declined, in the words of the gateway; empty when it was not */
            declineCode: string;
            /** @description What was done, for a reader; not to be parsed */
            message: string;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            at: string;
            /** @description The accounts passed over before this one, each with its reason */
            skipped: components["schemas"]["SkippedAccount"][];
        };
        /** @description What the customer must do; null when nothing */
        NextAction: {
            /** @description What is to be done, such as `3ds` */
            type: string;
            /** @description Where the customer does it */
            url: string;
        } | null;
        Refund: {
            /**
             * Format: uuid
             * @description The transaction id of the refund
             */
            id: string;
            /**
             * Format: uuid
             * @description The payment that is refunded
             */
            paymentId: string;
            status: components["schemas"]["TransactionStatus"];
            statusId: components["schemas"]["TransactionStatusId"];
            /** @description Whether it did what was asked; of a transaction, whether money moved as it says */
            success: boolean;
            /** @description In major units of the currency */
            amount: number;
            /** @description Currency code of ISO 4217 */
            currency: string;
            source: components["schemas"]["RefundSource"];
            /**
             * @description Why, where nobody asked for it: `late-capture` is a payment of unknown outcome that was found captured late (setting `lateCapture`)
             * @enum {string|null}
             */
            reason: "late-capture" | null;
            /** @description The line items */
            items: components["schemas"]["RefundedItem"][];
            /** @description What was given back of the order beyond its lines */
            adjustments: components["schemas"]["RefundedAdjustment"][];
            /** @description What was done, for a reader; not to be parsed */
            message: string;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            completedAt: string | null;
        };
        RefundedItem: {
            /**
             * Format: int64
             * @description The variant that was bought
             */
            StorefrontVariantId: number;
            /**
             * Format: int32
             * @description How many of it
             */
            Quantity: number;
            /** @description In major units of the currency */
            Amount: number;
            /** @description true: the items go back into stock */
            Restock: boolean;
        };
        RefundedAdjustment: {
            Adjustment: components["schemas"]["RefundAdjustmentKind"];
            /** @description In major units of the currency */
            Amount: number;
        };
        PaymentSubscription: {
            /**
             * Format: int64
             * @description The subscriber id
             */
            id: number;
            /** @description The name of the club */
            name: string;
            /** @description What the club is, for a reader */
            description: string;
            /** @description In major units of the currency */
            rebillAmount: number;
            /**
             * Format: int64
             * @description Days of the first cycle
             */
            frequency: number;
            /**
             * @description `day` with `frequency` as its count, where the plan was given in days
             * @enum {string}
             */
            interval: "day" | "week" | "month" | "year";
            /**
             * Format: int64
             * @description Intervals between two charges
             */
            intervalCount: number;
            /**
             * Format: int64
             * @description Days from the capture to the first charge of the plan; 0 without a trial
             */
            trialDays: number;
            /** @description false until the payment is captured */
            started: boolean;
        };
        PaymentList: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description The payments of this page, the newest first */
            data: components["schemas"]["Payment"][];
            /** @description Whether another page follows */
            hasMore: boolean;
            /** @description `cursor` of the next page */
            nextCursor: string | null;
        };
        OpenedCheckoutSession: {
            /**
             * Format: uuid
             * @description The session
             */
            id: string;
            status: components["schemas"]["CheckoutSessionStatus"];
            /** @description In major units of the currency */
            amount: number;
            /**
             * @description Currency code of ISO 4217
             * @example GBP
             */
            currency: string;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            expiresAt: string;
            /** @description Where the page goes once it is paid */
            successUrl: string;
            /** @description Where the page goes back to */
            cancelUrl: string;
            /**
             * Format: int64
             * @description Cards that may still be tried
             */
            attemptsLeft: number;
            /**
             * Format: uuid
             * @description Of the latest try; null: none
             */
            paymentId: string | null;
            /** @description Empty once the person is erased */
            email: string;
            /**
             * Format: int64
             * @description The customer
             */
            customerId: number;
            /**
             * Format: int64
             * @description The application: a kind from 1 to 5, an application of the tenant from 100, or the kind of a child
             */
            applicationId: number;
            /**
             * Format: int64
             * @description The company
             */
            companyId: number;
            /** @description The partner's id of the session, click or visit, as it was sent */
            partnerSession: string | null;
            /** @description The service's own id of the session, unique for each payment */
            serviceSession: string;
            /** @description true: test data, which no gateway of the real world has seen */
            sandbox: boolean;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            createdAt: string;
            /** @description For the page of this buyer alone: shown in this answer, and stored nowhere */
            clientSecret: string;
        };
        /**
         * @description `processing`: a card was submitted, and its outcome is not known yet. `complete` is final
         * @enum {string}
         */
        CheckoutSessionStatus: "open" | "processing" | "complete" | "expired";
        CheckoutSession: {
            /**
             * Format: uuid
             * @description The session
             */
            id: string;
            status: components["schemas"]["CheckoutSessionStatus"];
            /** @description In major units of the currency */
            amount: number;
            /**
             * @description Currency code of ISO 4217
             * @example GBP
             */
            currency: string;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            expiresAt: string;
            /** @description Where the page goes once it is paid */
            successUrl: string;
            /** @description Where the page goes back to */
            cancelUrl: string;
            /**
             * Format: int64
             * @description Cards that may still be tried
             */
            attemptsLeft: number;
            /**
             * Format: uuid
             * @description Of the latest try; null: none
             */
            paymentId: string | null;
            /** @description Empty once the person is erased */
            email: string;
            /**
             * Format: int64
             * @description The customer
             */
            customerId: number;
            /**
             * Format: int64
             * @description The application: a kind from 1 to 5, an application of the tenant from 100, or the kind of a child
             */
            applicationId: number;
            /**
             * Format: int64
             * @description The company
             */
            companyId: number;
            /** @description The partner's id of the session, click or visit, as it was sent */
            partnerSession: string | null;
            /** @description The service's own id of the session, unique for each payment */
            serviceSession: string;
            /** @description true: test data, which no gateway of the real world has seen */
            sandbox: boolean;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            createdAt: string;
        };
        PublicCheckoutSession: {
            /**
             * Format: uuid
             * @description The session
             */
            id: string;
            status: components["schemas"]["CheckoutSessionStatus"];
            /** @description In major units of the currency */
            amount: number;
            /**
             * @description Currency code of ISO 4217
             * @example GBP
             */
            currency: string;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            expiresAt: string;
            /** @description Where the page goes once it is paid */
            successUrl: string;
            /** @description Where the page goes back to */
            cancelUrl: string;
            /**
             * Format: int64
             * @description Cards that may still be tried
             */
            attemptsLeft: number;
            /**
             * Format: int64
             * @description The number of the next try, from 1
             */
            attempt: number;
            payment: components["schemas"]["CheckoutPayment"];
        };
        /** @description The payment of the latest try; null: none */
        CheckoutPayment: {
            /**
             * Format: uuid
             * @description The payment
             */
            id: string;
            status: components["schemas"]["TransactionStatus"];
            /**
             * @description What the buyer may know of it; null: not declined
             * @enum {string|null}
             */
            declineReason: "declined" | "insufficient_funds" | "expired_card" | null;
            nextAction: components["schemas"]["NextAction"];
        } | null;
        SubscriptionList: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description The subscriptions, the newest first */
            subscriptions: components["schemas"]["Subscription"][];
            /** @description Whether another page follows */
            hasMore: boolean;
            /** @description `cursor` of the next page */
            nextCursor: string | null;
        };
        SubscriptionDetail: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description What was done */
            message: string;
            /**
             * Format: int64
             * @description The tenant id
             */
            parentCompanyId: number;
            /**
             * Format: int64
             * @description The company
             */
            companyId: number;
            /** @description The name of the company */
            company: string;
            /**
             * Format: int64
             * @description The subscriber id
             */
            id: number;
            /**
             * Format: int64
             * @description The customer; 0 when there is none
             */
            customerID: number;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            subDate: string;
            /**
             * Format: int64
             * @description The order that started it
             */
            orderId: number;
            /** @description false: unsubscribed */
            active: boolean;
            /**
             * Format: date-time
             * @description ISO 8601, GMT; null while active
             */
            unsubDate: string | null;
            /** @description Name of the club */
            subscription: string;
            /** @description What the club is, for a reader */
            subscriptionDescription: string;
            /**
             * Format: date-time
             * @description ISO 8601, GMT: the start, after any trial
             */
            realStartDate: string;
            /** @description In major units of the currency */
            rebillAmount: number;
            /** @description Days of the present cycle, which ends with the next charge; during a trial, of the cycle after it */
            frequency: number;
            /** @description The merchant account; in an answer 0 or null before one was tried */
            merchantAccountId: number;
            /** @description The label of the merchant account */
            midName: string;
            /** @description The merchant id (MID) of the account at its acquirer */
            mid: string;
            /** @description true: no longer billed, until it is unfrozen */
            frozen: boolean;
            /**
             * Format: date-time
             * @description ISO 8601, GMT: the next charge; null when inactive or frozen
             */
            rebillDate: string | null;
            /** @description true: test data, which no gateway of the real world has seen */
            sandbox: boolean;
            /** @description Currency code of ISO 4217 */
            currency: string;
            /**
             * @description `day` with `frequency` as its count, where the plan was given in days
             * @enum {string}
             */
            interval: "day" | "week" | "month" | "year";
            /**
             * Format: int64
             * @description Intervals between two charges
             */
            intervalCount: number;
            /**
             * Format: int64
             * @description Days from the capture to the first charge of the plan; 0 without a trial
             */
            trialDays: number;
            /**
             * Format: uuid
             * @description The payment that started it
             */
            messageID: string;
            /**
             * Format: int64
             * @description The `paymentNumber` of the charge that is next or under way; 1 started it
             */
            cycle: number;
            /**
             * Format: int64
             * @description Tries of that cycle so far
             */
            attempt: number;
            /**
             * Format: int64
             * @description Tries of all cycles, the starting payment among them
             */
            totalAttempt: number;
            /**
             * Format: uuid
             * @description The payment that is the try under way
             */
            pendingMessageID: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            frozenDate: string | null;
            /**
             * @description Why it is frozen; null when it is not
             * @enum {string|null}
             */
            freezeReason: "hard-decline" | "authentication-required" | "insufficient-funds" | "retries-exhausted" | "network-limit" | "no-card" | "card-removed" | "admin" | null;
            /**
             * @description Why it ended; null while active
             * @enum {string|null}
             */
            unsubscribeReason: "customer-service" | "chargeback" | "confirmed-fraud" | "erasure" | null;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            updatedAt: string;
        };
        SubscriptionSchedule: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /**
             * Format: int64
             * @description The subscriber id
             */
            id: number;
            /** @description Currency code of ISO 4217 */
            currency: string;
            /** @description If every charge is approved; empty when inactive, frozen or without a card. Once the customer has removed the card, at most the charge that is under way */
            charges: components["schemas"]["ScheduledCharge"][];
            nextFailure: components["schemas"]["FailingCharge"];
            /** @description If the first of the charges (or `nextFailure`) fails and every retry too: each of these tries. A decline that must not be repeated freezes at once */
            ifDeclined: components["schemas"]["DeclinedTry"][];
        };
        ScheduledCharge: {
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            date: string;
            /**
             * Format: int32
             * @description The cycle of the subscription that it pays for; 1 without a subscription
             */
            paymentNumber: number;
            /**
             * Format: int32
             * @description The try of its cycle
             */
            attempt: number;
            /** @description In major units of the currency */
            amount: number;
        };
        /** @description The next charge after `charges`, when it is known that it will fail: it freezes the subscription, unless it is given a card before */
        FailingCharge: {
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            date: string;
            /**
             * Format: int32
             * @description The cycle of the subscription that it pays for; 1 without a subscription
             */
            paymentNumber: number;
            /**
             * Format: int32
             * @description The try of its cycle
             */
            attempt: number;
            /** @description In major units of the currency */
            amount: number;
            /**
             * @description Why: the customer removed the card. The gateway is not asked
             * @constant
             */
            reason: "card_removed";
        } | null;
        DeclinedTry: {
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            date: string;
            /**
             * Format: int32
             * @description The try within its cycle; of the tries of a payment, counted from 1
             */
            attempt: number;
            /**
             * @description What its decline leads to
             * @enum {string}
             */
            action: "retry" | "freeze";
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            retryDate: string | null;
            /**
             * @description The mail that its decline sends, by the dunning settings
             * @enum {string|null}
             */
            mail: "renewed" | "rebill-failed" | "frozen" | null;
        };
        CustomerSubscriptions: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description The subscriptions, the newest first */
            subscriptions: components["schemas"]["Subscription"][];
            /** @description Whether another page follows */
            hasMore: boolean;
            /** @description `cursor` of the next page */
            nextCursor: string | null;
        };
        MitigationTransactionSearchResult: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description What was done, for a reader; not to be parsed */
            message: string;
            /**
             * Format: int64
             * @description Records in this page
             */
            count: number;
            /**
             * Format: int64
             * @description The page, counted from 1
             */
            pageNumber: number;
            /** @description Whether another page follows */
            moreResults: boolean;
            /** @description The records of this page, the newest first */
            transactions: components["schemas"]["MitigationTransactionRecord"][];
        };
        MitigationTransactionRecord: {
            /** @description The name of the gateway */
            gateway: string;
            /**
             * Format: uuid
             * @description The id of a payment, or of a refund, chargeback or alert of it
             */
            transactionId: string;
            /**
             * Format: int64
             * @description The order
             */
            orderId: number;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            sent: string;
            /** @description The email of the customer */
            email: string;
            /** @description true: test data, which no gateway of the real world has seen */
            sandbox: boolean;
            /**
             * Format: int64
             * @description The application: a kind from 1 to 5, an application of the tenant from 100, or the kind of a child
             */
            applicationId: number;
            status: components["schemas"]["TransactionStatus"];
            statusId: components["schemas"]["TransactionStatusId"];
            /** @description Whether it did what was asked; of a transaction, whether money moved as it says */
            success: boolean;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            completed: string | null;
            /** @description Currency code of ISO 4217 */
            currency: string;
            /** @description In major units of the currency; of a payment what was captured, once that is known */
            amount: number;
            /** @description The merchant id (MID) of the account at its acquirer */
            mid: string;
            /** @description What the statement of the card shows */
            descriptor: string;
            /**
             * Format: int64
             * @description The customer
             */
            customerId: number;
            /** @description The authorization code of the issuer; empty before there is one */
            authCode: string;
            /** @description The id at the gateway; empty before there is one */
            gatewayTransactionId: string;
            /** @description The given name of the person */
            firstName: string;
            /** @description The family name of the person */
            lastName: string;
            /** @description The first six digits of the card number; empty without a card */
            bin: string;
            /** @description The last four digits of the card number */
            last4: string;
            /** @description Whether all that was captured was given back */
            refunded: boolean;
            /** @description Whether a refund is possible at this moment */
            refundable: boolean;
            /** @description Whether an alert was received */
            hasAlert: boolean;
            /** @description Whether there was a chargeback, won or lost */
            chargedBack: boolean;
            /** @description The payment that a child belongs to; empty of a payment itself */
            originalTransactionId: string;
        };
        MitigationSearchResult: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description What was done, for a reader; not to be parsed */
            message: string;
            /**
             * Format: int64
             * @description Records in this answer
             */
            count: number;
            /** @description The records of this page, the newest first */
            transactions: components["schemas"]["MitigationRecord"][];
        };
        MitigationRecord: {
            /** @description The name of the gateway */
            gateway: string;
            /**
             * Format: uuid
             * @description The id of a payment, or of a refund, chargeback or alert of it
             */
            transactionId: string;
            /**
             * Format: int64
             * @description The order
             */
            orderId: number;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            sent: string;
            /** @description The email of the customer */
            email: string;
            /** @description true: test data, which no gateway of the real world has seen */
            sandbox: boolean;
            /**
             * Format: int64
             * @description The application: a kind from 1 to 5, an application of the tenant from 100, or the kind of a child
             */
            applicationId: number;
            status: components["schemas"]["TransactionStatus"];
            statusId: components["schemas"]["TransactionStatusId"];
            /** @description Whether it did what was asked; of a transaction, whether money moved as it says */
            success: boolean;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            completed: string | null;
            /** @description Currency code of ISO 4217 */
            currency: string;
            /** @description In major units of the currency; of a payment what was captured, once that is known */
            amount: number;
            /** @description The merchant id (MID) of the account at its acquirer */
            mid: string;
            /** @description What the statement of the card shows */
            descriptor: string;
            /**
             * Format: int64
             * @description The customer
             */
            customerId: number;
            /** @description The authorization code of the issuer; empty before there is one */
            authCode: string;
            /** @description The id at the gateway; empty before there is one */
            gatewayTransactionId: string;
            /** @description The given name of the person */
            firstName: string;
            /** @description The family name of the person */
            lastName: string;
            /** @description The first six digits of the card number; empty without a card */
            bin: string;
            /** @description The last four digits of the card number */
            last4: string;
            /** @description Whether all that was captured was given back */
            refunded: boolean;
            /** @description Whether a refund is possible at this moment */
            refundable: boolean;
            /** @description Whether an alert was received */
            hasAlert: boolean;
            /** @description Whether there was a chargeback, won or lost */
            chargedBack: boolean;
            /** @description The payment that a child belongs to; empty of a payment itself */
            originalTransactionId: string;
            /** @description The reference of the acquirer; in an answer empty without one */
            arn: string;
            alertType: components["schemas"]["AlertType"];
            alertSource: components["schemas"]["AlertSource"];
            /** @description What has been paid back, in major units */
            refundedAmount: number;
            /**
             * Format: date-time
             * @description When the last refund was paid
             */
            refundDate: string | null;
            /**
             * Format: date-time
             * @description When the last chargeback was opened
             */
            chargebackDate: string | null;
            /** @description The status of the last chargeback; empty without any */
            chargebackStatus: string;
            /** @description Whether a subscription that the payment started or renewed goes on */
            subscriptionActive: boolean;
        };
        DisputeReportResult: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description What was done, for a reader; not to be parsed */
            message: string;
            /**
             * Format: uuid
             * @description The id of the chargeback or alert
             */
            disputeId: string;
            /**
             * @description `unmatched`: kept, and looked for again; no payment of the tenant fits yet
             * @enum {string}
             */
            status: "matched" | "unmatched";
            /**
             * Format: uuid
             * @description The payment
             */
            transactionId: string | null;
            /**
             * @description Its status in the books
             * @enum {string|null}
             */
            disputeStatus: "Created" | "Processing" | "RequiresAction" | "Authorized" | "Captured" | "Settled" | "Declined" | "Failed" | "Blocked" | "Expired" | "Unknown" | "Voided" | "RefundPending" | "Refunded" | "RefundFailed" | "ChargebackOpen" | "ChargebackUnderReview" | "ChargebackWon" | "ChargebackLost" | "ChargebackAccepted" | "ChargebackWithdrawn" | "AlertOpen" | "AlertResolved" | "AlertDeclined" | "AlertExpired" | null;
        };
        Disputes: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /**
             * Format: int64
             * @description Items in this page
             */
            count: number;
            /** @description Whether another page follows */
            moreResults: boolean;
            /** @description `cursor` of the next page */
            next: string | null;
            /** @description The line items */
            items: components["schemas"]["Dispute"][];
        };
        Dispute: {
            /**
             * Format: uuid
             * @description The id of the chargeback or alert
             */
            disputeId: string;
            /**
             * Format: uuid
             * @description The payment; null without one
             */
            transactionId: string | null;
            /**
             * @description What it is
             * @enum {string}
             */
            kind: "chargeback" | "alert";
            /** @description Who reported it; empty for the gateway */
            provider: string;
            /** @description The reference of the provider */
            reference: string;
            /** @description true: test data, which no gateway of the real world has seen */
            sandbox: boolean;
            status: components["schemas"]["DisputeStatus"];
            /**
             * Format: int64
             * @description The merchant account; in an answer 0 or null before one was tried
             */
            merchantAccountId: number | null;
            /** @description The merchant id (MID) of the account at its acquirer */
            mid: string;
            /** @description The label of the merchant account */
            midName: string;
            /** @description Currency code of ISO 4217 */
            currency: string;
            /** @description In major units of the currency; of a payment what was captured, once that is known */
            amount: number;
            /** @description Whether it took money that had been given back already, or was on its way */
            exceedsCaptured: boolean;
            /** @description What had been refunded when it came */
            refundedBefore: number;
            /** @description Of the card network */
            reasonCode: string;
            /** @description The reference of the acquirer; in an answer empty without one */
            arn: string;
            /** @description What the alert warns of; empty of a chargeback */
            alertType: string;
            /** @description Where the alert came from */
            alertSource: string;
            /**
             * Format: date-time
             * @description When it began
             */
            openedAt: string;
            /**
             * Format: date-time
             * @description When an answer must have been given
             */
            deadline: string | null;
            /**
             * Format: int64
             * @description The order
             */
            orderId: number | null;
            /** @description The email of the customer */
            email: string;
            /** @description What was said of it last */
            note: string;
            /**
             * Format: date-time
             * @description When its status changed last
             */
            changedAt: string;
        };
        /**
         * @description The status in the books; `Unmatched`: reported, and in none
         * @enum {string}
         */
        DisputeStatus: "Unmatched" | "ChargebackOpen" | "ChargebackUnderReview" | "ChargebackWon" | "ChargebackLost" | "ChargebackAccepted" | "ChargebackWithdrawn" | "AlertOpen" | "AlertResolved" | "AlertDeclined" | "AlertExpired";
        DisputeShown: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description The dispute */
            item: components["schemas"]["Dispute"];
            evidence: components["schemas"]["DisputeEvidence"];
        };
        /** @description What the chargeback is represented with */
        DisputeEvidence: {
            /** @description What was kept, in its order */
            files: components["schemas"]["EvidenceFile"][];
            /** @description What was said beside the files */
            fields: {
                [key: string]: string;
            };
            /**
             * Format: date-time
             * @description When it was handed in
             */
            submittedAt: string | null;
            /** @description Of the files that were handed in last */
            submittedDigests: string[];
            /** @description What the gateway of the payment said to the answers that it was given */
            sent: components["schemas"]["SentAnswer"][];
        };
        EvidenceFile: {
            /** @description SHA-256 of the content, in hex */
            digest: string;
            /** @description As it was given; empty once the customer is erased */
            name: string;
            /**
             * @description By its first bytes
             * @enum {string}
             */
            mediaType: "application/pdf" | "image/png" | "image/jpeg" | "image/tiff" | "text/plain";
            /**
             * Format: int64
             * @description The size
             */
            bytes: number;
            /**
             * Format: date-time
             * @description When it was kept
             */
            keptAt: string;
        };
        SentAnswer: {
            /**
             * @description What was answered
             * @enum {string}
             */
            answer: "evidence" | "acceptance";
            /**
             * Format: int64
             * @description Counts what was handed in; 0 of an acceptance
             */
            submission: number;
            /**
             * @description `refused`: see `note`. Evidence may then be handed in again
             * @enum {string}
             */
            result: "taken" | "refused";
            /** @description Why it was refused */
            note: string;
            /**
             * Format: date-time
             * @description When the gateway said so
             */
            at: string;
        };
        DisputeAnswered: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description What was done, for a reader; not to be parsed */
            message: string;
            /** @description The dispute as it is now */
            item: components["schemas"]["Dispute"];
        };
        EvidenceKept: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description What was done, for a reader; not to be parsed */
            message: string;
            /** @description The file */
            item: components["schemas"]["EvidenceFile"];
        };
        GatewayEventTaken: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description What was done, for a reader; not to be parsed */
            message: string;
            /**
             * @description `ignored`: it is about nothing that the ledger records
             * @enum {string}
             */
            status: "applied" | "repeated" | "ignored";
        };
        BlackListEntriesPage: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /**
             * Format: int64
             * @description Items of this page
             */
            count: number;
            /** @description Whether another page follows */
            moreResults: boolean;
            /** @description `cursor` of the next page */
            next: string | null;
            /** @description The items of this page */
            items: components["schemas"]["BlackListEntry"][];
        };
        BlackListEntry: {
            /**
             * Format: uuid
             * @description Always the same of the same value, in one environment of one tenant
             */
            id: string;
            /** @description true: test data, which no gateway of the real world has seen */
            sandbox: boolean;
            kind: components["schemas"]["BlackListKind"];
            /**
             * @description Masked, but for BINs
             * @example e***@***
             */
            value: string;
            /** @description Why it is listed */
            reason: string;
            /**
             * @description Who put it on the list: an admin, or what the settings say of disputes
             * @enum {string}
             */
            source: "admin" | "chargeback" | "confirmed-fraud";
            /**
             * Format: uuid
             * @description The payment that the value was taken from; null without one
             */
            transactionId: string | null;
            /**
             * Format: date-time
             * @description When it was put on the list
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description From then on it blocks nothing
             */
            expiresAt: string | null;
            /**
             * Format: int64
             * @description Of the item as it was read; it counts the changes, from 1
             */
            rowVersion: number;
        };
        BlackListEntryAnswer: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description What was done, for a reader; not to be parsed */
            message: string;
            /** @description What was asked for or changed, as it is now */
            item: components["schemas"]["BlackListEntry"];
        };
        TrialBalance: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description Whether debits and credits are equal in every currency */
            balanced: boolean;
            /** @description One element for each currency that was ever booked */
            currencies: components["schemas"]["CurrencyBalance"][];
        };
        CurrencyBalance: {
            /** @description Currency code of ISO 4217 */
            currency: string;
            /** @description In major units of the currency; exact, also beyond what a double holds */
            debit: number;
            /** @description In major units of the currency; exact, also beyond what a double holds */
            credit: number;
            /** @description In major units of the currency; exact, also beyond what a double holds */
            difference: number;
            /** @description Each account of the books, with its sums */
            accounts: components["schemas"]["AccountBalance"][];
        };
        AccountBalance: {
            /** @description The account, such as `acquirer-receivable` or `sales` */
            account: string;
            /** @description In major units of the currency; exact, also beyond what a double holds */
            debit: number;
            /** @description In major units of the currency; exact, also beyond what a double holds */
            credit: number;
            /** @description In major units of the currency; exact, also beyond what a double holds */
            balance: number;
        };
        LedgerAccounts: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description Each account of the books, with its sums */
            accounts: components["schemas"]["LedgerAccount"][];
            /** @description `cursor` of the next page */
            nextCursor: string | null;
        };
        LedgerAccount: {
            /**
             * Format: int64
             * @description The merchant account; in an answer 0 or null before one was tried
             */
            merchantAccountId: number;
            /** @description Currency code of ISO 4217 */
            currency: string;
            /** @description The account, such as `acquirer-receivable` or `sales` */
            account: string;
            /** @description In major units of the currency; exact, also beyond what a double holds */
            debit: number;
            /** @description In major units of the currency; exact, also beyond what a double holds */
            credit: number;
            /** @description In major units of the currency; exact, also beyond what a double holds */
            balance: number;
        };
        LedgerEntries: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description The account, such as `acquirer-receivable` or `sales` */
            account: string;
            /** @description Currency code of ISO 4217 */
            currency: string;
            /** @description The newest first */
            entries: components["schemas"]["LedgerPosting"][];
            /** @description `cursor` of the next page */
            nextCursor: string | null;
        };
        /** @description What one journal entry posted to the account */
        LedgerPosting: {
            /**
             * Format: uuid
             * @description The payment
             */
            transactionId: string;
            /** @description The event that posted it */
            description: string;
            /**
             * Format: int64
             * @description Its place among the events of the payment, from 0
             */
            revision: number;
            /**
             * Format: date-time
             * @description When it holds in the business
             */
            at: string;
            /**
             * Format: int64
             * @description The merchant account; in an answer 0 or null before one was tried
             */
            merchantAccountId: number;
            /** @description In major units of the currency; exact, also beyond what a double holds */
            debit: number;
            /** @description In major units of the currency; exact, also beyond what a double holds */
            credit: number;
        };
        Statement: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /**
             * Format: int64
             * @description The merchant account; in an answer 0 or null before one was tried
             */
            merchantAccountId: number;
            /** @description true: test data, which no gateway of the real world has seen */
            sandbox: boolean;
            /** @description The month, such as `2026-02`; GMT */
            month: string;
            /** @description Those with anything posted up to the end of the month; they are never added up */
            currencies: components["schemas"]["StatementCurrency"][];
        };
        StatementCurrency: {
            /** @description Currency code of ISO 4217 */
            currency: string;
            /** @description What the acquirer owed when the month began */
            openingBalance: number;
            /** @description Captured */
            gross: number;
            /** @description Of captures that were voided, in the month of the void */
            voided: number;
            /** @description Refunds that were paid, RDR credits among them */
            refunds: number;
            /** @description Chargebacks that were opened */
            chargebacks: number;
            /** @description Chargebacks that were won or withdrawn */
            chargebackReversals: number;
            /** @description Each fee that was charged */
            fees: components["schemas"]["StatementFee"][];
            /** @description All fees */
            totalFees: number;
            /** @description Held of captures */
            reserveHeld: number;
            /** @description Released after the hold, or given back by voids */
            reserveReleased: number;
            /** @description What reached the bank, less what the acquirer took back */
            settled: number;
            /** @description What the acquirer owed when the month ended: openingBalance + gross - voided - refunds - chargebacks + chargebackReversals - totalFees - reserveHeld + reserveReleased - settled */
            closingBalance: number;
            /** @description gross - voided - refunds - chargebacks + chargebackReversals - totalFees */
            margin: number;
        };
        StatementFee: {
            /**
             * @description The account of the fee
             * @example fees:discount
             */
            account: string;
            /** @description Charged, less what voids gave back */
            amount: number;
        };
        DisputeRates: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description The first month */
            from: string;
            /** @description The last month */
            to: string;
            /** @description true: test data, which no gateway of the real world has seen */
            sandbox: boolean;
            /** @description As the settings have them now */
            thresholds: components["schemas"]["DisputeThresholds"];
            /** @description Months with a capture or a dispute, by merchant account and month */
            rates: components["schemas"]["DisputeRate"][];
        };
        DisputeThreshold: {
            /** @description Chargebacks over captures of a month */
            percent: number;
            /**
             * Format: int32
             * @description As many at least
             */
            chargebacks: number;
        };
        /** @description What the dispute rates of merchant accounts are held against */
        DisputeThresholds: {
            /** @description From here on a month is `warning`: percent and number together */
            warning: components["schemas"]["DisputeThreshold"];
            /** @description From here on it is `excessive` */
            excessive: components["schemas"]["DisputeThreshold"];
        };
        DisputeRate: {
            /**
             * Format: int64
             * @description The merchant account; in an answer 0 or null before one was tried
             */
            merchantAccountId: number;
            /** @description The month, such as `2026-02`; GMT */
            month: string;
            /**
             * @description Which of the thresholds `rate` and `chargebacks` have reached together
             * @enum {string}
             */
            status: "ok" | "warning" | "excessive";
            /**
             * Format: int64
             * @description Payments that were captured, of all currencies
             */
            captures: number;
            /**
             * Format: int64
             * @description Chargebacks that were opened, won or not
             */
            chargebacks: number;
            /** @description chargebacks over captures, in percent with four decimals; null where nothing was captured */
            rate: number | null;
            /**
             * Format: int64
             * @description Alerts that were received
             */
            alerts: number;
            /**
             * Format: int64
             * @description Those of confirmed fraud, and early fraud warnings
             */
            fraudWarnings: number;
            /** @description By currency */
            amounts: components["schemas"]["DisputedAmount"][];
        };
        DisputedAmount: {
            /** @description Currency code of ISO 4217 */
            currency: string;
            /** @description Captured in the month */
            captured: number;
            /** @description Taken by chargebacks that were opened in it */
            chargedBack: number;
            /** @description chargedBack over captured, in percent; null where nothing was captured */
            rate: number | null;
        };
        SettlementImported: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description What was done, for a reader; not to be parsed */
            message: string;
            /** @description What was asked for or changed, as it is now */
            item: components["schemas"]["ImportedSettlement"];
        };
        /** @description How many of each type; none are left out */
        SettlementDifferences: {
            /**
             * Format: int64
             * @description Differences of this type
             */
            "missing-here"?: number;
            /**
             * Format: int64
             * @description Differences of this type
             */
            "missing-there"?: number;
            /**
             * Format: int64
             * @description Differences of this type
             */
            currency?: number;
            /**
             * Format: int64
             * @description Differences of this type
             */
            amount?: number;
            /**
             * Format: int64
             * @description Differences of this type
             */
            fee?: number;
            /**
             * Format: int64
             * @description Differences of this type
             */
            settled?: number;
            /**
             * Format: int64
             * @description Differences of this type
             */
            unreadable?: number;
        };
        ImportedSettlement: {
            /**
             * Format: uuid
             * @description The import
             */
            id: string;
            /** @description The name that it was given; empty without one */
            name: string;
            /**
             * Format: int64
             * @description The merchant account; in an answer 0 or null before one was tried
             */
            merchantAccountId: number;
            /** @description true: test data, which no gateway of the real world has seen */
            sandbox: boolean;
            /**
             * @description `importing` until the whole file was taken: a repetition completes it
             * @enum {string}
             */
            status: "importing" | "finished";
            /**
             * Format: date-time
             * @description When it was first begun
             */
            startedAt: string;
            /**
             * Format: date-time
             * @description When its whole file was taken
             */
            finishedAt: string | null;
            /** @description SHA-256 of the file, hex; empty while importing */
            digest: string;
            /**
             * Format: int64
             * @description Lines of the file, without its header
             */
            lines: number;
            /**
             * Format: int64
             * @description Lines that the books hold: booked by this import or before
             */
            agreed: number;
            differences: components["schemas"]["SettlementDifferences"];
            /** @description The first settled date; empty without lines */
            from: string;
            /** @description The last settled date; empty without lines */
            to: string;
            /**
             * Format: int64
             * @description Lines that were booked now; the others of `agreed` had been before
             */
            booked: number;
        };
        SettlementsPage: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /**
             * Format: int64
             * @description Items of this page
             */
            count: number;
            /** @description Whether another page follows */
            moreResults: boolean;
            /** @description `cursor` of the next page */
            next: string | null;
            /** @description The items of this page */
            items: components["schemas"]["Settlement"][];
        };
        Settlement: {
            /**
             * Format: uuid
             * @description The import
             */
            id: string;
            /** @description The name that it was given; empty without one */
            name: string;
            /**
             * Format: int64
             * @description The merchant account; in an answer 0 or null before one was tried
             */
            merchantAccountId: number;
            /** @description true: test data, which no gateway of the real world has seen */
            sandbox: boolean;
            /**
             * @description `importing` until the whole file was taken: a repetition completes it
             * @enum {string}
             */
            status: "importing" | "finished";
            /**
             * Format: date-time
             * @description When it was first begun
             */
            startedAt: string;
            /**
             * Format: date-time
             * @description When its whole file was taken
             */
            finishedAt: string | null;
            /** @description SHA-256 of the file, hex; empty while importing */
            digest: string;
            /**
             * Format: int64
             * @description Lines of the file, without its header
             */
            lines: number;
            /**
             * Format: int64
             * @description Lines that the books hold: booked by this import or before
             */
            agreed: number;
            differences: components["schemas"]["SettlementDifferences"];
            /** @description The first settled date; empty without lines */
            from: string;
            /** @description The last settled date; empty without lines */
            to: string;
        };
        PayoutsSettled: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description What was done, for a reader; not to be parsed */
            message: string;
            /**
             * Format: int64
             * @description Payouts that were read now
             */
            count: number;
            /**
             * Format: int64
             * @description Payouts that are on their way
             */
            waiting: number;
            /** @description Each with the id of the payout as its `name`, the oldest first */
            items: components["schemas"]["ImportedSettlement"][];
        };
        UnmatchedSettlementsPage: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /**
             * Format: int64
             * @description Items of this page
             */
            count: number;
            /** @description Whether another page follows */
            moreResults: boolean;
            /** @description `cursor` of the next page */
            next: string | null;
            /** @description The items of this page */
            items: components["schemas"]["UnmatchedSettlement"][];
        };
        UnmatchedSettlement: {
            /**
             * @description `missing-here`: the books have no such movement. `missing-there`: a movement that no file had. `settled`: another line settled it before. `unreadable`: what no line of a file says, see `detail`. The others: what the file and the books disagree about
             * @enum {string}
             */
            type: "missing-here" | "missing-there" | "currency" | "amount" | "fee" | "settled" | "unreadable";
            /** @description The settled date of the line, or the day on which the movement was booked */
            since: string;
            /**
             * Format: int64
             * @description Days since then
             */
            ageDays: number;
            /**
             * Format: int64
             * @description The merchant account; in an answer 0 or null before one was tried
             */
            merchantAccountId: number;
            /**
             * Format: uuid
             * @description The import that found it
             */
            settlementId: string;
            /**
             * Format: int64
             * @description In the file; null for `missing-there`, and of a payout
             */
            line: number | null;
            /** @description Of the line; empty for `missing-there` */
            reference: string;
            /** @description What the line or the movement is */
            kind: string | null;
            /** @description Of the line or the movement */
            gatewayTransactionId: string;
            /** @description Of the line or the movement */
            arn: string;
            /**
             * Format: uuid
             * @description The payment, where it is known
             */
            transactionId: string | null;
            /**
             * Format: uuid
             * @description The refund or chargeback that is missing in the files
             */
            childId: string | null;
            /** @description As the file says; of `missing-there` as the books say */
            amount: number | null;
            /** @description Currency code of ISO 4217 */
            currency: string;
            /** @description As the file says; of `missing-there` as the books say */
            fee: number | null;
            /** @description What the books say instead: an amount, a currency, or the reference of the line that settled it */
            expected: number | string | null;
            /** @description Why a line is unreadable */
            detail: string;
        };
        SettlementAnswer: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description What was done, for a reader; not to be parsed */
            message: string;
            /** @description What was asked for or changed, as it is now */
            item: components["schemas"]["Settlement"];
        };
        RecurringReport: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description The first month */
            from: string;
            /** @description The last month */
            to: string;
            /** @description Those in which a subscription ever started, each by itself: they are never added up */
            currencies: components["schemas"]["RecurringCurrency"][];
        };
        RecurringCurrency: {
            /** @description Currency code of ISO 4217 */
            currency: string;
            /** @description Every month of the range, in order */
            months: components["schemas"]["RecurringMonth"][];
            totals: components["schemas"]["RecurringTotals"];
        };
        RecurringMonth: {
            /** @description The month, such as `2026-02`; GMT */
            month: string;
            /**
             * Format: int64
             * @description Subscriptions that started: their order was paid
             */
            joined: number;
            /**
             * Format: int64
             * @description Cycles that were paid after the first, each once however many tries it took
             */
            renewed: number;
            /** @description What these cycles were charged, in major units: what the ledger posted to `sales` for rebills. Starting payments are no part of it, and refunds and chargebacks are not taken off */
            revenue: number;
            /**
             * Format: int64
             * @description How often a subscription was frozen; one that was frozen twice counts twice
             */
            frozen: number;
            /**
             * Format: int64
             * @description How often billing of a frozen one went on
             */
            unfrozen: number;
            /**
             * Format: int64
             * @description Subscriptions that ended, for whatever reason; a frozen one that ends counts here
             */
            left: number;
            /**
             * Format: int64
             * @description Subscriptions that had started and not ended before, frozen ones among them
             */
            activeAtStart: number;
            /**
             * Format: int64
             * @description activeAtStart + joined - left
             */
            activeAtEnd: number;
            /**
             * Format: int64
             * @description Those of activeAtEnd that are frozen
             */
            frozenAtEnd: number;
            /** @description Monthly recurring revenue at the end: the monthly amounts of the subscriptions that are billed then, each by the plan of its last paid cycle, without trials and frozen ones. An amount for months or years is divided by the months; one for days or weeks is converted by the mean month of 30.436875 days. Each is rounded half to even */
            mrrAtEnd: number;
            /** @description left / activeAtStart; null when activeAtStart is 0. It passes 1 when more leave, new ones among them, than were there at the start */
            churnRate: number | null;
        };
        /** @description The range as if it were one month */
        RecurringTotals: {
            /**
             * Format: int64
             * @description Subscriptions that started: their order was paid
             */
            joined: number;
            /**
             * Format: int64
             * @description Cycles that were paid after the first, each once however many tries it took
             */
            renewed: number;
            /** @description What these cycles were charged, in major units: what the ledger posted to `sales` for rebills. Starting payments are no part of it, and refunds and chargebacks are not taken off */
            revenue: number;
            /**
             * Format: int64
             * @description How often a subscription was frozen; one that was frozen twice counts twice
             */
            frozen: number;
            /**
             * Format: int64
             * @description How often billing of a frozen one went on
             */
            unfrozen: number;
            /**
             * Format: int64
             * @description Subscriptions that ended, for whatever reason; a frozen one that ends counts here
             */
            left: number;
            /**
             * Format: int64
             * @description Subscriptions that had started and not ended before, frozen ones among them
             */
            activeAtStart: number;
            /**
             * Format: int64
             * @description activeAtStart + joined - left
             */
            activeAtEnd: number;
            /**
             * Format: int64
             * @description Those of activeAtEnd that are frozen
             */
            frozenAtEnd: number;
            /** @description Monthly recurring revenue at the end: the monthly amounts of the subscriptions that are billed then, each by the plan of its last paid cycle, without trials and frozen ones. An amount for months or years is divided by the months; one for days or weeks is converted by the mean month of 30.436875 days. Each is rounded half to even */
            mrrAtEnd: number;
            /** @description left / activeAtStart; null when activeAtStart is 0. It passes 1 when more leave, new ones among them, than were there at the start */
            churnRate: number | null;
        };
        SalesReport: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /**
             * @description How long a period is
             * @example day
             * @enum {string}
             */
            unit: "hour" | "day" | "month";
            /** @description The first month */
            from: string;
            /** @description The last month */
            to: string;
            /** @description Those with anything in the range, each by itself: they are never added up */
            currencies: components["schemas"]["SalesCurrency"][];
        };
        SalesCurrency: {
            /** @description Currency code of ISO 4217 */
            currency: string;
            /** @description Every one of the range, in order */
            periods: components["schemas"]["SalesPeriod"][];
            totals: components["schemas"]["SalesTotals"];
            /** @description Those with anything in the range */
            accounts: components["schemas"]["SalesAccount"][];
            /** @description Card networks with anything in the range; `Unknown` has payments without a card, too */
            brands: components["schemas"]["SalesBrand"][];
        };
        SalesPeriod: {
            /**
             * @description The hour, the day or the month, GMT
             * @example 2026-11-23T20
             */
            period: string;
            /** @description In major units: captured, less voids */
            captured: number;
            /** @description In major units: refunded, less refunds that the bank sent back */
            refunded: number;
            /** @description In major units: charged back, less chargebacks that were reversed */
            chargedBack: number;
            /** @description In major units: every fee, less those that voids gave back */
            fees: number;
            /** @description In major units: captured less refunded, charged back and fees */
            net: number;
            /**
             * Format: int64
             * @description Payments that were captured
             */
            captures: number;
            /**
             * Format: int64
             * @description Payments that were declined, each once in the end
             */
            declines: number;
        };
        /** @description Of the range */
        SalesTotals: {
            /** @description In major units: captured, less voids */
            captured: number;
            /** @description In major units: refunded, less refunds that the bank sent back */
            refunded: number;
            /** @description In major units: charged back, less chargebacks that were reversed */
            chargedBack: number;
            /** @description In major units: every fee, less those that voids gave back */
            fees: number;
            /** @description In major units: captured less refunded, charged back and fees */
            net: number;
            /**
             * Format: int64
             * @description Payments that were captured
             */
            captures: number;
            /**
             * Format: int64
             * @description Payments that were declined, each once in the end
             */
            declines: number;
        };
        /** @description Of the range, of one merchant account */
        SalesAccount: {
            /**
             * Format: int64
             * @description The merchant account; in an answer 0 or null before one was tried
             */
            merchantAccountId: number;
            /** @description In major units: captured, less voids */
            captured: number;
            /** @description In major units: refunded, less refunds that the bank sent back */
            refunded: number;
            /** @description In major units: charged back, less chargebacks that were reversed */
            chargedBack: number;
            /** @description In major units: every fee, less those that voids gave back */
            fees: number;
            /** @description In major units: captured less refunded, charged back and fees */
            net: number;
            /**
             * Format: int64
             * @description Payments that were captured
             */
            captures: number;
            /**
             * Format: int64
             * @description Payments that were declined, each once in the end
             */
            declines: number;
        };
        /** @description Of the range, of the cards of one network */
        SalesBrand: {
            cardBrandId: components["schemas"]["CardBrandId"];
            cardBrand: components["schemas"]["CardBrand"];
            /**
             * Format: int64
             * @description Payments that were captured
             */
            captures: number;
            /**
             * Format: int64
             * @description Payments that were declined, each once in the end
             */
            declines: number;
        };
        WidgetAddress: {
            /** @description The script, with its hash */
            src: string;
            /** @description SHA-384 of the script, as browsers check it */
            integrity: string;
        };
        CustomerLeadAnswer: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description As it is now kept */
            lead: components["schemas"]["CustomerLead"];
        };
        LeadTransaction: {
            /** @description The payment; of another gateway, its own id */
            id: string;
            /** @description Who reported it; empty for a payment of the ledger */
            source: string;
            /** @description The order; null when none was named */
            orderId: string | null;
            /** @description In major units of the currency; of a payment what was captured, once that is known */
            amount: number;
            /**
             * @description Currency code of ISO 4217
             * @example GBP
             */
            currency: string;
            /**
             * Format: int64
             * @description The application: a kind from 1 to 5, an application of the tenant from 100, or the kind of a child
             */
            applicationId: number;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            capturedAt: string;
        } | null;
        CustomerLead: {
            /**
             * Format: uuid
             * @description The id of the lead
             */
            id: string;
            /** @description The session */
            session_id: string;
            /** @description Empty once the person is erased */
            email: string;
            /** @description The given name */
            first_name: string;
            /** @description The family name */
            last_name: string;
            /** @description The device, as the page names it */
            cfa_device: string;
            /** @description Pages that were seen, in order */
            scans: components["schemas"]["LeadScanOutput"][];
            /**
             * @description `paid` is final
             * @enum {string}
             */
            status: "new" | "paid";
            /**
             * Format: int64
             * @description The application of the key that wrote it first
             */
            application_id: number;
            /** @description true: test data, which no gateway of the real world has seen */
            sandbox: boolean;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            created_at: string;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            updated_at: string;
            /**
             * Format: date-time
             * @description null: not paid
             */
            paid_at: string | null;
            /** @description By which it became paid; null: none */
            transaction: components["schemas"]["LeadTransaction"];
        };
        LeadsPage: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /**
             * Format: int64
             * @description Items of this page
             */
            count: number;
            /** @description Whether another page follows */
            moreResults: boolean;
            /** @description `cursor` of the next page */
            next: string | null;
            /** @description The items of this page */
            items: components["schemas"]["CustomerLead"][];
        };
        TransactionMessageTaken: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description What was done, for a reader; not to be parsed */
            message: string;
            /**
             * @description Of the lead of the session; null: there is none yet
             * @enum {string|null}
             */
            leadStatus: "new" | "paid" | null;
        };
        EmailAccepted: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /**
             * Format: uuid
             * @description The id of the email
             */
            id: string;
            /**
             * @description `accepted`, then `deferred` while it is tried again, then `sent` or `failed`
             * @enum {string}
             */
            status: "accepted" | "deferred" | "sent" | "failed";
            /** @description Whether its key named an email already: that one, and nothing is sent again */
            deduplicated: boolean;
        };
        EmailsPage: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /**
             * Format: int64
             * @description Items of this page
             */
            count: number;
            /** @description Whether another page follows */
            moreResults: boolean;
            /** @description `cursor` of the next page */
            next: string | null;
            /** @description The items of this page */
            items: components["schemas"]["Email"][];
        };
        EmailBatchAnswer: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description One for each, in the order of `emails` */
            results: components["schemas"]["EmailBatchResult"][];
        };
        EmailBatchResult: {
            /** @description Whether it is accepted */
            success: boolean;
            /**
             * Format: uuid
             * @description The id of the email
             */
            id?: string;
            /**
             * @description `accepted`, then `deferred` while it is tried again, then `sent` or `failed`
             * @enum {string}
             */
            status?: "accepted" | "deferred" | "sent" | "failed";
            /** @description Whether its key named an email already: that one, and nothing is sent again */
            deduplicated?: boolean;
            /** @description Why it is not accepted */
            code?: string;
            /** @description What the contract calls the case */
            error?: string;
            /** @description For a reader */
            message?: string;
            /** @description The fields at fault */
            errors?: components["schemas"]["EmailFault"][];
        };
        EmailFault: {
            /** @description JSON Pointer into the email */
            pointer: string;
            /** @description What is wrong */
            detail: string;
        };
        EmailPreview: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description The subject, filled in */
            subject: string;
            /** @description The text part */
            text: string;
            /** @description The HTML part */
            html: string;
        };
        EmailAnswer: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description The email and what became of it */
            email: components["schemas"]["Email"];
        };
        KeysPage: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /**
             * Format: int64
             * @description Items of this page
             */
            count: number;
            /** @description Whether another page follows */
            moreResults: boolean;
            /** @description `cursor` of the next page */
            next: string | null;
            /** @description The items of this page */
            items: components["schemas"]["ApiKey"][];
        };
        ApiKey: {
            /**
             * Format: uuid
             * @description The id of the item
             */
            id: string;
            /**
             * @description `tenant`: a key of the email service; `payment-publishable`: one for pages
             * @enum {string}
             */
            kind: "api" | "tenant" | "payment-publishable";
            /**
             * Format: int64
             * @description Of a key for pages; null: of all
             */
            applicationId: number | null;
            /** @description Of a key for pages: where they are */
            allowedOrigins: string[];
            /**
             * @description The data that the key is for: `live` or sandbox data
             * @enum {string}
             */
            environment: "live" | "test";
            /** @description What the key is for */
            label: string;
            /** @description What the key may do */
            scopes: string[];
            /** @description The prefix and the last four characters of the key */
            hint: string;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description null: never
             */
            expiresAt: string | null;
            /**
             * Format: date-time
             * @description null: not revoked
             */
            revokedAt: string | null;
            /** @description The key that it was replaced by */
            successorId: string | null;
            /**
             * Format: int64
             * @description Counts the changes, from 1
             */
            rowVersion: number;
        };
        KeyMade: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description What was done, for a reader; not to be parsed */
            message: string;
            /** @description What was asked for or changed, as it is now */
            item: components["schemas"]["ApiKeyWithSecret"];
        };
        ApiKeyWithSecret: {
            /**
             * Format: uuid
             * @description The id of the item
             */
            id: string;
            /**
             * @description `tenant`: a key of the email service; `payment-publishable`: one for pages
             * @enum {string}
             */
            kind: "api" | "tenant" | "payment-publishable";
            /**
             * Format: int64
             * @description Of a key for pages; null: of all
             */
            applicationId: number | null;
            /** @description Of a key for pages: where they are */
            allowedOrigins: string[];
            /**
             * @description The data that the key is for: `live` or sandbox data
             * @enum {string}
             */
            environment: "live" | "test";
            /** @description What the key is for */
            label: string;
            /** @description What the key may do */
            scopes: string[];
            /** @description The prefix and the last four characters of the key */
            hint: string;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description null: never
             */
            expiresAt: string | null;
            /**
             * Format: date-time
             * @description null: not revoked
             */
            revokedAt: string | null;
            /** @description The key that it was replaced by */
            successorId: string | null;
            /**
             * Format: int64
             * @description Counts the changes, from 1
             */
            rowVersion: number;
            /** @description The key: shown in this answer only */
            key: string;
        };
        KeyAnswer: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description What was done, for a reader; not to be parsed */
            message: string;
            /** @description What was asked for or changed, as it is now */
            item: components["schemas"]["ApiKey"];
        };
        Permissions: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /**
             * Format: int64
             * @description Items of this page
             */
            count: number;
            /** @description Always false */
            moreResults: boolean;
            /** @description Always null */
            next: string | null;
            /** @description All of them */
            items: components["schemas"]["Permission"][];
        };
        Permission: {
            /** @description As keys and roles name it */
            scope: string;
            /** @description What it permits */
            description: string;
        };
        LeadKeysPage: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /**
             * Format: int64
             * @description Items of this page
             */
            count: number;
            /** @description Whether another page follows */
            moreResults: boolean;
            /** @description `cursor` of the next page */
            next: string | null;
            /** @description The items of this page */
            items: components["schemas"]["LeadKey"][];
        };
        LeadKey: {
            /**
             * Format: uuid
             * @description The id of the item
             */
            id: string;
            /**
             * @description The data that the key is for: `live` or sandbox data
             * @enum {string}
             */
            environment: "live" | "test";
            /** @description What the key is for */
            label: string;
            /**
             * Format: int64
             * @description The application: a kind from 1 to 5, an application of the tenant from 100, or the kind of a child
             */
            applicationId: number;
            /** @description Where pages may write leads from, each as browsers name it: `https://shop.example` */
            allowedOrigins: string[];
            /** @description What the publishable key is recognised by */
            publishableHint: string;
            /** @description What the secret key is recognised by */
            secretHint: string;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description null: not revoked
             */
            revokedAt: string | null;
            /**
             * Format: int64
             * @description Of the item as it was read; it counts the changes, from 1
             */
            rowVersion: number;
        };
        LeadKeyMade: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description What was done, for a reader; not to be parsed */
            message: string;
            /** @description What was asked for or changed, as it is now */
            item: components["schemas"]["LeadKeyWithSecrets"];
        };
        LeadKeyWithSecrets: {
            /**
             * Format: uuid
             * @description The id of the item
             */
            id: string;
            /**
             * @description The data that the key is for: `live` or sandbox data
             * @enum {string}
             */
            environment: "live" | "test";
            /** @description What the key is for */
            label: string;
            /**
             * Format: int64
             * @description The application: a kind from 1 to 5, an application of the tenant from 100, or the kind of a child
             */
            applicationId: number;
            /** @description Where pages may write leads from, each as browsers name it: `https://shop.example` */
            allowedOrigins: string[];
            /** @description What the publishable key is recognised by */
            publishableHint: string;
            /** @description What the secret key is recognised by */
            secretHint: string;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description null: not revoked
             */
            revokedAt: string | null;
            /**
             * Format: int64
             * @description Of the item as it was read; it counts the changes, from 1
             */
            rowVersion: number;
            /** @description For pages: shown in this answer only */
            publishableKey: string;
            /** @description For servers: shown in this answer only */
            secretKey: string;
        };
        LeadKeyAnswer: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description What was done, for a reader; not to be parsed */
            message: string;
            /** @description What was asked for or changed, as it is now */
            item: components["schemas"]["LeadKey"];
        };
        SenderDomainsPage: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /**
             * Format: int64
             * @description Items of this page
             */
            count: number;
            /** @description Whether another page follows */
            moreResults: boolean;
            /** @description `cursor` of the next page */
            next: string | null;
            /** @description The items of this page */
            items: components["schemas"]["SenderDomain"][];
        };
        SenderDomain: {
            /**
             * Format: uuid
             * @description The id of the item
             */
            id: string;
            /**
             * @description In letters of any script; compared in lower case and punycode
             * @example shop.example
             */
            domain: string;
            /** @description The domain in lower case and punycode */
            asciiDomain: string;
            /** @description Whether the domains below it are authorized too, but for those that are here themselves */
            includeSubdomains: boolean;
            /**
             * @description `disabled`: mails from it are refused, at once
             * @enum {string}
             */
            status: "authorized" | "disabled";
            /** @description null: mails are not signed */
            dkimSelector: string | null;
            /** @description Masked; null: there is none */
            dkimPrivateKey: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            createdAt: string;
            /**
             * Format: int64
             * @description Of the item as it was read; it counts the changes, from 1
             */
            rowVersion: number;
        };
        SenderDomainAnswer: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description What was done, for a reader; not to be parsed */
            message: string;
            /** @description What was asked for or changed, as it is now */
            item: components["schemas"]["SenderDomain"];
        };
        SuppressionsPage: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /**
             * Format: int64
             * @description Items of this page
             */
            count: number;
            /** @description Whether another page follows */
            moreResults: boolean;
            /** @description `cursor` of the next page */
            next: string | null;
            /** @description The items of this page */
            items: components["schemas"]["Suppression"][];
        };
        Suppression: {
            /**
             * Format: uuid
             * @description The id of the item
             */
            id: string;
            /** @description Empty once its person is erased: it stays suppressed */
            email: string;
            /**
             * @description `bounce`: a mail server has refused it for good. `unsubscribe`: by its person; what the ledger mails by itself is still sent. `manual`: by the tenant
             * @enum {string}
             */
            reason: "bounce" | "unsubscribe" | "manual";
            /** @description Of the tenant, or the code of the mail server */
            note: string;
            /** @description Whether it is of the sandbox */
            sandbox: boolean;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            createdAt: string;
        };
        SuppressionAnswer: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description What was done, for a reader; not to be parsed */
            message: string;
            /** @description What was asked for or changed, as it is now */
            item: components["schemas"]["Suppression"];
        };
        MailSettingsAnswer: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description What was done, for a reader; not to be parsed */
            message: string;
            /** @description What was asked for or changed, as it is now */
            item: components["schemas"]["MailSettings"];
        };
        /** @description Whom what the ledger mails by itself is from; in a sender domain. null: the host */
        MailSender: {
            /** @description Shown beside the address */
            name?: string;
            /**
             * Format: email
             * @description In a sender domain of the tenant
             * @example ada@example.com
             */
            address: string;
        } | null;
        /** @description The mail server of the tenant. null: that of the host */
        MailServer: {
            /** @description In production only public addresses are connected to */
            host: string;
            /**
             * Format: int32
             * @description Of a new server by default 587
             */
            port: number;
            /** @description TLS from the start; else STARTTLS where it is offered, and always with a password */
            secure: boolean;
            /** @description Empty: without credentials */
            user: string;
            /** @description Kept encrypted, and masked when it is read: a masked value written back is the one that is kept. Required again with another host or port */
            password: string;
        } | null;
        /** @description Off by default */
        MailTracking: {
            /** @description Whether opening a submitted email is recorded */
            opens: boolean;
            /** @description Whether following its links is recorded */
            clicks: boolean;
        };
        /** @description In the language of `templateContent` */
        MailText: {
            /** @description A template */
            subject: string;
            /** @description Paragraphs with empty lines between them; a template */
            text: string;
        };
        MailSettings: {
            sender: components["schemas"]["MailSender"];
            smtp: components["schemas"]["MailServer"];
            tracking: components["schemas"]["MailTracking"];
            /**
             * @description Of dates, and what mails say that they are in
             * @example en-GB
             */
            language: string;
            /** @description In place of the built-in texts, by what is mailed about */
            texts: {
                [key: string]: components["schemas"]["MailText"];
            };
            /**
             * Format: int64
             * @description Of the item as it was read; it counts the changes, from 1
             */
            rowVersion: number;
        };
        MailTextPreviewAnswer: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description What was done, for a reader; not to be parsed */
            message: string;
            /** @description What was asked for or changed, as it is now */
            item: components["schemas"]["MailTextShown"];
        };
        MailTextShown: {
            /**
             * @description What is mailed about
             * @enum {string}
             */
            kind: "refunded" | "unsubscribed" | "rebill-failed" | "frozen" | "renewed" | "invited" | "password-reset";
            /** @description As it would be sent */
            subject: string;
            /** @description The plain part */
            text: string;
            /** @description The HTML part */
            html: string;
            /** @description What a text may name, with the value of the sample */
            variables: {
                [key: string]: string | boolean;
            };
            /** @description The built-in text as one of your own would say it, to begin with */
            builtIn: components["schemas"]["MailText"];
        };
        WebhookEndpointsPage: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /**
             * Format: int64
             * @description Items of this page
             */
            count: number;
            /** @description Whether another page follows */
            moreResults: boolean;
            /** @description `cursor` of the next page */
            next: string | null;
            /** @description The items of this page */
            items: components["schemas"]["WebhookEndpoint"][];
        };
        WebhookEndpoint: {
            /**
             * Format: uuid
             * @description The id of the item
             */
            id: string;
            /**
             * @description `out`: events are sent to `url`. `in`: `source` sends signed messages
             * @enum {string}
             */
            direction: "out" | "in";
            /**
             * @description The data that the key is for: `live` or sandbox data
             * @enum {string}
             */
            environment: "live" | "test";
            /** @description Where events are sent; null of `in` */
            url: string | null;
            /** @description Who sends messages; null of `out` */
            source: string | null;
            /** @description The events that are sent; `*` is all of them. None of `in` */
            eventTypes: ("*" | "customer_lead.paid" | "payment.captured" | "payment.declined" | "refund.succeeded" | "refund.failed" | "subscription.started" | "subscription.renewed" | "subscription.frozen" | "subscription.unsubscribed" | "chargeback.opened" | "chargeback.closed" | "alert.received" | "email.failed")[];
            /** @description Whether events about one subject are sent one after the other, in their order. Default: true. Of `out` only */
            ordered: boolean;
            /** @description What the endpoint is for */
            description: string;
            /**
             * @description `paused`: events wait, and messages are refused. `disabled`: by the ledger, for `disabledReason`
             * @enum {string}
             */
            status: "active" | "paused" | "disabled";
            /** @description null unless it is disabled */
            disabledReason: string | null;
            /**
             * Format: date-time
             * @description Until when the secret of before is good beside the present one; null: it is not
             */
            overlapEndsAt: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            createdAt: string;
            /**
             * Format: int64
             * @description Of the item as it was read; it counts the changes, from 1
             */
            rowVersion: number;
        };
        WebhookEndpointMade: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description What was done, for a reader; not to be parsed */
            message: string;
            /** @description What was asked for or changed, as it is now */
            item: components["schemas"]["WebhookEndpointWithSecret"];
        };
        WebhookEndpointWithSecret: {
            /**
             * Format: uuid
             * @description The id of the item
             */
            id: string;
            /**
             * @description `out`: events are sent to `url`. `in`: `source` sends signed messages
             * @enum {string}
             */
            direction: "out" | "in";
            /**
             * @description The data that the key is for: `live` or sandbox data
             * @enum {string}
             */
            environment: "live" | "test";
            /** @description Where events are sent; null of `in` */
            url: string | null;
            /** @description Who sends messages; null of `out` */
            source: string | null;
            /** @description The events that are sent; `*` is all of them. None of `in` */
            eventTypes: ("*" | "customer_lead.paid" | "payment.captured" | "payment.declined" | "refund.succeeded" | "refund.failed" | "subscription.started" | "subscription.renewed" | "subscription.frozen" | "subscription.unsubscribed" | "chargeback.opened" | "chargeback.closed" | "alert.received" | "email.failed")[];
            /** @description Whether events about one subject are sent one after the other, in their order. Default: true. Of `out` only */
            ordered: boolean;
            /** @description What the endpoint is for */
            description: string;
            /**
             * @description `paused`: events wait, and messages are refused. `disabled`: by the ledger, for `disabledReason`
             * @enum {string}
             */
            status: "active" | "paused" | "disabled";
            /** @description null unless it is disabled */
            disabledReason: string | null;
            /**
             * Format: date-time
             * @description Until when the secret of before is good beside the present one; null: it is not
             */
            overlapEndsAt: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            createdAt: string;
            /**
             * Format: int64
             * @description Of the item as it was read; it counts the changes, from 1
             */
            rowVersion: number;
            /** @description What messages are signed with (Standard Webhooks): shown in this answer only */
            signingSecret: string;
        };
        WebhookEndpointAnswer: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description What was done, for a reader; not to be parsed */
            message: string;
            /** @description What was asked for or changed, as it is now */
            item: components["schemas"]["WebhookEndpoint"];
        };
        WebhookDeliveriesPage: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /**
             * Format: int64
             * @description Items of this page
             */
            count: number;
            /** @description Whether another page follows */
            moreResults: boolean;
            /** @description `cursor` of the next page */
            next: string | null;
            /** @description The items of this page */
            items: components["schemas"]["WebhookDelivery"][];
        };
        WebhookDeliveryDetailAnswer: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description What was done, for a reader; not to be parsed */
            message: string;
            /** @description What was asked for or changed, as it is now */
            item: components["schemas"]["WebhookDeliveryDetail"];
        };
        /** @description What is sent, without what was erased since */
        WebhookMessage: {
            /**
             * Format: uuid
             * @description The id of the message
             */
            id: string;
            /** @description Its type */
            type: string;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            timestamp: string;
            data: components["schemas"]["WebhookData"];
        };
        /** @description What is said, by the type */
        WebhookData: {
            [key: string]: unknown;
        };
        WebhookAttempt: {
            /**
             * Format: int64
             * @description Counts from 1
             */
            number: number;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            at: string;
            /**
             * Format: int64
             * @description Until the answer was read
             */
            durationMs: number;
            /**
             * Format: int64
             * @description Of HTTP; null: none was received
             */
            status: number | null;
            /** @description Why there is no status */
            error: string | null;
            /** @description The first 4 KiB of the answer. Empty once the person is erased */
            answer: string;
        };
        WebhookDeliveryDetail: {
            /**
             * Format: uuid
             * @description The id of the delivery
             */
            id: string;
            /**
             * Format: uuid
             * @description `webhook-id`: the same at every endpoint, in every try and replay
             */
            messageId: string;
            /**
             * Format: uuid
             * @description The endpoint
             */
            endpointId: string;
            /**
             * @description The type of the message; `webhook.test` of one on demand
             * @example customer_lead.paid
             */
            type: string;
            /**
             * @description `held`: the endpoint is paused. `dead`: given up, until it is replayed. `delivered`: answered with 2xx
             * @enum {string}
             */
            status: "pending" | "held" | "delivered" | "dead";
            /**
             * Format: int64
             * @description Tries altogether
             */
            attempts: number;
            /**
             * Format: date-time
             * @description The next try; null unless it is pending
             */
            nextAttemptAt: string | null;
            /**
             * @description Why the last try failed: a status, or `timeout`, `connection_refused`, `connection_failed`, `name_not_resolved`, `certificate_refused`, `address_refused`, `url_refused`, `unreadable`; why it was given up without one: `endpoint_removed`, `endpoint_disabled`. null: it did not fail
             * @example 503
             */
            reason: string | null;
            /**
             * Format: date-time
             * @description When it happened
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            changedAt: string;
            body: components["schemas"]["WebhookMessage"];
            /** @description Every try, the first one first */
            attemptLog: components["schemas"]["WebhookAttempt"][];
        };
        WebhookDeliveryAnswer: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description What was done, for a reader; not to be parsed */
            message: string;
            /** @description What was asked for or changed, as it is now */
            item: components["schemas"]["WebhookDelivery"];
        };
        WebhookReplayAnswer: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description What was done, for a reader; not to be parsed */
            message: string;
            /**
             * Format: int64
             * @description Deliveries that are sent again
             */
            replayed: number;
            /**
             * Format: date-time
             * @description `since` of the request that goes on; null: nothing is left
             */
            next: string | null;
        };
        SettingsAnswer: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description What was done, for a reader; not to be parsed */
            message: string;
            /** @description What was asked for or changed, as it is now */
            item: components["schemas"]["Settings"];
        };
        /** @description What happens when a rebill is declined */
        Dunning: {
            /** @description Days after the first failed try of a cycle, ascending; then it is frozen */
            retryAfterDays: number[];
            /** @description The mails that a subscriber gets */
            mails: ("renewed" | "rebill-failed" | "frozen")[];
        };
        /** @description What happens to a payment of unknown outcome that is found captured late. Rebills are always kept */
        LateCapture: {
            /**
             * @description `refund`: in full, once, with a mail
             * @enum {string}
             */
            action: "keep" | "refund";
            /**
             * Format: int32
             * @description Later than so many minutes after the outcome was unknown
             */
            afterMinutes: number;
        };
        /** @description What of the payer is put on the black list by itself, as a sum of: 1 email · 2 card fingerprint · 4 BIN · 8 extended BIN · 16 IP · 32 customer. 0 for nothing */
        BlackListing: {
            /**
             * Format: int32
             * @description After a chargeback
             */
            onChargeback: number;
            /**
             * Format: int32
             * @description After an alert of confirmed fraud
             */
            onConfirmedFraud: number;
        };
        /** @description Days in which a chargeback must be answered whose report does not say until when, by the network of its card */
        ChargebackAnswerDays: {
            /**
             * Format: int32
             * @description Of a card of no known network
             */
            Unknown: number;
            /**
             * Format: int32
             * @description Of a card of NetworkA
             */
            NetworkA: number;
            /**
             * Format: int32
             * @description Of a card of NetworkB
             */
            NetworkB: number;
            /**
             * Format: int32
             * @description Of a card of NetworkC
             */
            NetworkC: number;
            /**
             * Format: int32
             * @description Of a card of NetworkD
             */
            NetworkD: number;
            /**
             * Format: int32
             * @description Of a card of NetworkE
             */
            NetworkE: number;
            /**
             * Format: int32
             * @description Of a card of NetworkF
             */
            NetworkF: number;
        };
        Settings: {
            /**
             * Format: int32
             * @description How many requests each environment may make in a minute
             */
            requestsPerMinute: number;
            /**
             * Format: int32
             * @description Days after a capture in which it may be refunded
             */
            refundWindowDays: number;
            /**
             * Format: int32
             * @description Days that a rolling reserve is held
             */
            reserveHoldDays: number;
            /** @description Whether a chargeback or a confirmed fraud ends subscriptions */
            unsubscribeOnDispute: boolean;
            /** @description Whether `UserEmail` must name an active user, whose scopes bound those of the key. Needs an active owner */
            requireKnownUsers: boolean;
            dunning: components["schemas"]["Dunning"];
            lateCapture: components["schemas"]["LateCapture"];
            blackListing: components["schemas"]["BlackListing"];
            chargebackAnswerDays: components["schemas"]["ChargebackAnswerDays"];
            disputeThresholds: components["schemas"]["DisputeThresholds"];
            /**
             * Format: int64
             * @description Of the item as it was read; it counts the changes, from 1
             */
            rowVersion: number;
        };
        UsersPage: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /**
             * Format: int64
             * @description Items of this page
             */
            count: number;
            /** @description Whether another page follows */
            moreResults: boolean;
            /** @description `cursor` of the next page */
            next: string | null;
            /** @description The items of this page */
            items: components["schemas"]["User"][];
        };
        User: {
            /**
             * Format: uuid
             * @description The id of the item
             */
            id: string;
            /**
             * Format: email
             * @description The email of the customer
             * @example ada@example.com
             */
            email: string;
            /** @description What it is called */
            name: string;
            /** @description Roles: built-in ones by their names, such as `agent`, and those of the tenant */
            roleIds: string[];
            /**
             * @description Only active users may act
             * @enum {string}
             */
            status: "invited" | "active" | "disabled";
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            createdAt: string;
            /**
             * Format: int64
             * @description Of the item as it was read; it counts the changes, from 1
             */
            rowVersion: number;
        };
        UserMade: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description What was done, for a reader; not to be parsed */
            message: string;
            /** @description What was asked for or changed, as it is now */
            item: components["schemas"]["UserWithToken"];
        };
        UserWithToken: {
            /**
             * Format: uuid
             * @description The id of the item
             */
            id: string;
            /**
             * Format: email
             * @description The email of the customer
             * @example ada@example.com
             */
            email: string;
            /** @description What it is called */
            name: string;
            /** @description Roles: built-in ones by their names, such as `agent`, and those of the tenant */
            roleIds: string[];
            /**
             * @description Only active users may act
             * @enum {string}
             */
            status: "invited" | "active" | "disabled";
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            createdAt: string;
            /**
             * Format: int64
             * @description Of the item as it was read; it counts the changes, from 1
             */
            rowVersion: number;
            /** @description Sets the password within 24 hours, once: shown in this answer only. null where a mail brings it to the user */
            token: string | null;
        };
        UserAnswer: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description What was done, for a reader; not to be parsed */
            message: string;
            /** @description What was asked for or changed, as it is now */
            item: components["schemas"]["User"];
        };
        RolesPage: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /**
             * Format: int64
             * @description Items of this page
             */
            count: number;
            /** @description Whether another page follows */
            moreResults: boolean;
            /** @description `cursor` of the next page */
            next: string | null;
            /** @description The items of this page */
            items: components["schemas"]["Role"][];
        };
        Role: {
            /** @description The id of the item */
            id: string;
            /** @description What it is called */
            name: string;
            /** @description What its users may do */
            scopes: string[];
            /** @description Whether it is there for every tenant, unchangeable */
            builtIn: boolean;
            /**
             * Format: int64
             * @description Of the item as it was read; it counts the changes, from 1
             */
            rowVersion: number;
        };
        RoleAnswer: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description What was done, for a reader; not to be parsed */
            message: string;
            /** @description What was asked for or changed, as it is now */
            item: components["schemas"]["Role"];
        };
        ActivityPage: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /**
             * Format: int64
             * @description Items of this page
             */
            count: number;
            /** @description Whether another page follows */
            moreResults: boolean;
            /** @description `cursor` of the next page */
            next: string | null;
            /** @description The items of this page */
            items: components["schemas"]["Activity"][];
        };
        Activity: {
            /**
             * Format: uuid
             * @description Records sort by it: by time
             */
            id: string;
            /**
             * Format: date-time
             * @description When it was answered
             */
            at: string;
            /**
             * @description The data that the key is for: `live` or sandbox data
             * @enum {string}
             */
            environment: "live" | "test";
            /** @description `UserEmail`, or the key that named nobody */
            actor: string;
            /** @description null: not by a key */
            keyId: string | null;
            /** @description `X-Request-Id` of the answer */
            requestId: string | null;
            /**
             * @description What was asked for
             * @example payments.refund
             */
            action: string;
            /** @description The id that it was about; null where there is none, or none was known */
            subject: string | null;
            /**
             * @description `done`: carried out, also where the gateway declined · `refused`: for a reason of the request · `failed`: for another reason; it may have been carried out · `replayed`: answered as the request before it under the same `Idempotency-Key`
             * @enum {string}
             */
            outcome: "done" | "refused" | "failed" | "replayed";
            /** @description Of the error that was answered */
            code: string | null;
            /** @description Where the request came from */
            remoteAddress: string | null;
        };
        CompaniesPage: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /**
             * Format: int64
             * @description Items of this page
             */
            count: number;
            /** @description Whether another page follows */
            moreResults: boolean;
            /** @description `cursor` of the next page */
            next: string | null;
            /** @description The items of this page */
            items: components["schemas"]["Company"][];
        };
        Company: {
            /**
             * Format: int64
             * @description The id in records
             */
            id: number;
            /** @description As records show it */
            name: string;
            /**
             * Format: int64
             * @description Of the item as it was read; it counts the changes, from 1
             */
            rowVersion: number;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            updatedAt: string;
        };
        CompanyAnswer: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description What was done, for a reader; not to be parsed */
            message: string;
            /** @description What was asked for or changed, as it is now */
            item: components["schemas"]["Company"];
        };
        ShopsPage: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /**
             * Format: int64
             * @description Items of this page
             */
            count: number;
            /** @description Whether another page follows */
            moreResults: boolean;
            /** @description `cursor` of the next page */
            next: string | null;
            /** @description The items of this page */
            items: components["schemas"]["Shop"][];
        };
        Shop: {
            /**
             * Format: int64
             * @description The id in records
             */
            id: number;
            /** @description As records show it */
            name: string;
            /**
             * Format: int64
             * @description The company
             */
            companyId: number;
            /** @description The domain of the shop */
            domain: string;
            /** @description The root domain of the shop */
            rootDomain: string;
            /** @description Currency code of ISO 4217 */
            currency: string;
            /**
             * Format: int64
             * @description Of the item as it was read; it counts the changes, from 1
             */
            rowVersion: number;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            updatedAt: string;
        };
        ShopAnswer: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description What was done, for a reader; not to be parsed */
            message: string;
            /** @description What was asked for or changed, as it is now */
            item: components["schemas"]["Shop"];
        };
        ApplicationsPage: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /**
             * Format: int64
             * @description Items of this page
             */
            count: number;
            /** @description Whether another page follows */
            moreResults: boolean;
            /** @description `cursor` of the next page */
            next: string | null;
            /** @description The items of this page */
            items: components["schemas"]["Application"][];
        };
        Application: {
            /**
             * Format: int64
             * @description The id in records
             */
            id: number;
            /** @description As records show it */
            name: string;
            /**
             * Format: int32
             * @description 1 Checkout · 2 Ecommerce · 3 Rebill · 4 Rebill retry · 5 Manual
             */
            kind: number;
            /**
             * Format: int64
             * @description Of the item as it was read; it counts the changes, from 1
             */
            rowVersion: number;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            updatedAt: string;
        };
        ApplicationAnswer: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description What was done, for a reader; not to be parsed */
            message: string;
            /** @description What was asked for or changed, as it is now */
            item: components["schemas"]["Application"];
        };
        ProductsPage: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /**
             * Format: int64
             * @description Items of this page
             */
            count: number;
            /** @description Whether another page follows */
            moreResults: boolean;
            /** @description `cursor` of the next page */
            next: string | null;
            /** @description The items of this page */
            items: components["schemas"]["Product"][];
        };
        Product: {
            /**
             * Format: int64
             * @description The id in records
             */
            id: number;
            /** @description As records show it */
            name: string;
            /**
             * Format: int64
             * @description Of the item as it was read; it counts the changes, from 1
             */
            rowVersion: number;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            updatedAt: string;
        };
        ProductAnswer: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description What was done, for a reader; not to be parsed */
            message: string;
            /** @description What was asked for or changed, as it is now */
            item: components["schemas"]["Product"];
        };
        PricePointsPage: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /**
             * Format: int64
             * @description Items of this page
             */
            count: number;
            /** @description Whether another page follows */
            moreResults: boolean;
            /** @description `cursor` of the next page */
            next: string | null;
            /** @description The items of this page */
            items: components["schemas"]["PricePoint"][];
        };
        PricePoint: {
            /**
             * Format: int64
             * @description The id in records
             */
            id: number;
            /**
             * @description In major units, with no more decimals than the currency has
             * @example 19.99
             */
            amount: number;
            /** @description Currency code of ISO 4217 */
            currency: string;
            /** @description Of the price point; empty without one */
            billingCode: string;
            /**
             * Format: int64
             * @description Of the price point; 0 without one
             */
            premium: number;
            /**
             * Format: int64
             * @description Shown as `shortcodeID` of payments at the price point
             */
            shortcodeId: number;
            /**
             * Format: int64
             * @description Of the item as it was read; it counts the changes, from 1
             */
            rowVersion: number;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            updatedAt: string;
        };
        PricePointAnswer: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description What was done, for a reader; not to be parsed */
            message: string;
            /** @description What was asked for or changed, as it is now */
            item: components["schemas"]["PricePoint"];
        };
        CampaignsPage: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /**
             * Format: int64
             * @description Items of this page
             */
            count: number;
            /** @description Whether another page follows */
            moreResults: boolean;
            /** @description `cursor` of the next page */
            next: string | null;
            /** @description The items of this page */
            items: components["schemas"]["Campaign"][];
        };
        Campaign: {
            /**
             * Format: int64
             * @description The id in records
             */
            id: number;
            /** @description As records show it */
            name: string;
            /**
             * Format: int64
             * @description Of the item as it was read; it counts the changes, from 1
             */
            rowVersion: number;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            updatedAt: string;
        };
        CampaignAnswer: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description What was done, for a reader; not to be parsed */
            message: string;
            /** @description What was asked for or changed, as it is now */
            item: components["schemas"]["Campaign"];
        };
        AffiliatesPage: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /**
             * Format: int64
             * @description Items of this page
             */
            count: number;
            /** @description Whether another page follows */
            moreResults: boolean;
            /** @description `cursor` of the next page */
            next: string | null;
            /** @description The items of this page */
            items: components["schemas"]["Affiliate"][];
        };
        Affiliate: {
            /**
             * Format: int64
             * @description The id in records
             */
            id: number;
            /** @description As records show it */
            name: string;
            /**
             * Format: int64
             * @description Of the item as it was read; it counts the changes, from 1
             */
            rowVersion: number;
            /**
             * Format: date-time
             * @description ISO 8601, GMT
             */
            updatedAt: string;
        };
        AffiliateAnswer: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /** @description What was done, for a reader; not to be parsed */
            message: string;
            /** @description What was asked for or changed, as it is now */
            item: components["schemas"]["Affiliate"];
        };
        TestClock: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /**
             * Format: date-time
             * @description What the clock shows: ISO 8601, GMT
             */
            now: string;
            /** @description How far it is ahead of the system's clock */
            aheadSeconds: number;
            /**
             * Format: date-time
             * @description Where a move under way leads
             */
            movingTo: string | null;
        };
        TestClockMoved: {
            /**
             * @description Whether it did what was asked; of a transaction, whether money moved as it says
             * @constant
             */
            success: true;
            /**
             * Format: date-time
             * @description What the clock shows: ISO 8601, GMT
             */
            now: string;
            /**
             * Format: int64
             * @description How often the clock stood still until what was due had been done
             */
            steps: number;
            /** @description Kinds of work that are due, were tried, and could not be done yet */
            unfinished: components["schemas"]["UnfinishedWork"][];
        };
        UnfinishedWork: {
            /** @description The kind of work */
            work: string;
            /**
             * Format: date-time
             * @description When it was due: ISO 8601, GMT
             */
            dueAt: string;
        };
        Liveness: {
            /**
             * @description Always `ok`
             * @constant
             */
            status: "ok";
        };
        Readiness: {
            /**
             * @description `starting`: the read models do not yet show all that the log held at the start
             * @enum {string}
             */
            status: "ok" | "starting" | "unavailable";
            /** @description Each check by name */
            checks: {
                [key: string]: "ok" | "failed";
            };
        };
        OpenApiDocument: {
            /** @description The version of OpenAPI */
            openapi: string;
        } & {
            [key: string]: unknown;
        };
        LeadScanOutput: {
            /** @description A page that was seen */
            page: string;
        };
    };
    responses: {
        /** @description A refusal */
        Refusal: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getTransactionDetail: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "parentCompanyId": 1,
                 *       "userEmail": "demo@counterfoil.example",
                 *       "id": "0e3eb00c-930f-8aa8-a016-a978d230da71",
                 *       "getSearchData": true,
                 *       "getAddressData": true
                 *     }
                 */
                "application/json": components["schemas"]["DetailRequest"];
            };
        };
        responses: {
            /** @description The transaction */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransactionDetail"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    refundTransaction: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request: a repetition within 24 hours gets the first answer, and the money moves once. A key belongs to one operation (`/v1/payments` and `/v1/card/submit` are one): the same key at both refund endpoints is two refunds, so repeat a request where it was first sent. One that holds a card number is refused.
                 * @example order-1042-refund-1
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "parentCompanyId": 1,
                 *       "userEmail": "demo@counterfoil.example",
                 *       "messageId": "0e3eb00c-930f-8aa8-a016-a978d230da71"
                 *     }
                 */
                "application/json": components["schemas"]["RefundRequest"];
            };
        };
        responses: {
            /** @description The refund was made, or is pending */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RefundResult"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    unsubscribeCustomer: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request: a repetition within 24 hours gets the first answer, and the money moves once. A key belongs to one operation (`/v1/payments` and `/v1/card/submit` are one): the same key at both refund endpoints is two refunds, so repeat a request where it was first sent. One that holds a card number is refused.
                 * @example order-1042-refund-1
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "parentCompanyId": 1,
                 *       "userEmail": "demo@counterfoil.example",
                 *       "email": "ben@shop.example"
                 *     }
                 */
                "application/json": components["schemas"]["UnsubscribeRequest"];
            };
        };
        responses: {
            /** @description The subscriptions have ended */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UnsubscribeResult"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    listCustomers: {
        parameters: {
            query?: {
                /** @description Absent: live data with a live key, test data with a test key */
                sandbox?: boolean;
                /** @description The most elements of a page */
                limit?: number;
                /** @description `nextCursor` of the page before; absent: the first page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of customers */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CustomerList"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    createCustomer: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request: a repetition within 24 hours gets the first answer, and the money moves once. A key belongs to one operation (`/v1/payments` and `/v1/card/submit` are one): the same key at both refund endpoints is two refunds, so repeat a request where it was first sent. One that holds a card number is refused.
                 * @example order-1042-refund-1
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "parentCompanyId": 1,
                 *       "userEmail": "demo@counterfoil.example",
                 *       "email": "cleo@shop.example",
                 *       "firstName": "Cleo",
                 *       "lastName": "Carter",
                 *       "addresses": [
                 *         {
                 *           "address": "1 High Street",
                 *           "city": "London",
                 *           "postalCode": "N1 1AA",
                 *           "countryCode": "GB"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CustomerRegistration"];
            };
        };
        responses: {
            /** @description The customer */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Customer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    getCustomer: {
        parameters: {
            query?: {
                /** @description Absent: live data with a live key, test data with a test key */
                sandbox?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description The customer id
                 * @example 17850
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The customer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Customer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    replaceCustomer: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of the version that is to be changed; another one is refused with 412.
                 * @example "3"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The customer id
                 * @example 17850
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "parentCompanyId": 1,
                 *       "userEmail": "demo@counterfoil.example",
                 *       "email": "cleo.carter@shop.example",
                 *       "firstName": "Cleo",
                 *       "lastName": "Carter",
                 *       "addresses": [
                 *         {
                 *           "address": "1 High Street",
                 *           "city": "London",
                 *           "postalCode": "N1 1AA",
                 *           "countryCode": "GB"
                 *         }
                 *       ],
                 *       "rowVersion": 1
                 *     }
                 */
                "application/json": components["schemas"]["CustomerReplacement"];
            };
        };
        responses: {
            /** @description The customer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Customer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    eraseCustomer: {
        parameters: {
            query?: {
                /** @description Absent: live data with a live key, test data with a test key */
                sandbox?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description The customer id
                 * @example 17850
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The personal data is unreadable */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErasureResult"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    addPaymentMethod: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request: a repetition within 24 hours gets the first answer, and the money moves once. A key belongs to one operation (`/v1/payments` and `/v1/card/submit` are one): the same key at both refund endpoints is two refunds, so repeat a request where it was first sent. One that holds a card number is refused.
                 * @example order-1042-refund-1
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The customer id
                 * @example 17850
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "card": {
                 *         "number": "4242424242424242",
                 *         "expMonth": 12,
                 *         "expYear": 2035,
                 *         "cvv": "123"
                 *       },
                 *       "default": true,
                 *       "companyId": 1
                 *     }
                 */
                "application/json": components["schemas"]["PaymentMethodInput"];
            };
        };
        responses: {
            /** @description The payment method */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AddedPaymentMethod"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    removePaymentMethod: {
        parameters: {
            query?: {
                /** @description Absent: live data with a live key, test data with a test key */
                sandbox?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description The customer id
                 * @example 17850
                 */
                id: number;
                /**
                 * @description The id of the payment method
                 * @example 01980a3c-5b1e-7c1f-8d5a-2f6b7c8d9e0f
                 */
                methodId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The customer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Customer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    searchCustomerTransactions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "dateFrom": "2010-12-01",
                 *       "dateTo": "2010-12-31",
                 *       "limit": 10
                 *     }
                 */
                "application/json": components["schemas"]["TransactionSearch"];
            };
        };
        responses: {
            /** @description A page of transactions */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransactionSearchResult"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    searchTransactions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "dateFrom": "2010-12-01",
                 *       "dateTo": "2010-12-31",
                 *       "limit": 10
                 *     }
                 */
                "application/json": components["schemas"]["TransactionSearch"];
            };
        };
        responses: {
            /** @description A page of transactions */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransactionSearchResult"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    listUnansweredPayments: {
        parameters: {
            query?: {
                /** @description Absent: live data */
                sandbox?: boolean;
                /** @description The most elements of a page */
                limit?: number;
                /** @description `nextCursor` of the page before; absent: the first page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of payments */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UnansweredPaymentsPage"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    listPaymentEvents: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The payment
                 * @example 0e3eb00c-930f-8aa8-a016-a978d230da71
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentEventsPage"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    listPaymentEntries: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The payment
                 * @example 0e3eb00c-930f-8aa8-a016-a978d230da71
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The entries */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentEntriesPage"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    listPaymentEmails: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The payment
                 * @example 0e3eb00c-930f-8aa8-a016-a978d230da71
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The emails */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentEmailsPage"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    listPaymentWebhooks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The payment
                 * @example 0e3eb00c-930f-8aa8-a016-a978d230da71
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deliveries */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentWebhooksPage"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    listSavedSearches: {
        parameters: {
            query?: {
                /** @description The most elements of a page */
                limit?: number;
                /** @description `nextCursor` of the page before; absent: the first page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of saved searches */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedSearchesPage"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    createSavedSearch: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Captured last week",
                 *       "search": {
                 *         "days": 7,
                 *         "currency": "GBP",
                 *         "merchantAccountIds": [
                 *           1
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["SavedSearchInput"];
            };
        };
        responses: {
            /** @description It is made */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedSearchAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    getSavedSearch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a saved search
                 * @example 01980a3c-5b1e-7c1f-8d5a-2f6b7c8d9e0f
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedSearchAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    deleteSavedSearch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a saved search
                 * @example 01980a3c-5b1e-7c1f-8d5a-2f6b7c8d9e0f
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedSearchAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    listMerchantAccounts: {
        parameters: {
            query?: {
                /** @description The company */
                companyId?: number;
                /** @description The gateway that payments are sent to */
                gatewayId?: number;
                /** @description One of the currencies that it holds */
                currency?: string;
                /** @description The most elements of a page */
                limit?: number;
                /** @description `nextCursor` of the page before; absent: the first page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of accounts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MerchantAccountPage"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    openMerchantAccount: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request: a repetition within 24 hours gets the first answer, and the money moves once. A key belongs to one operation (`/v1/payments` and `/v1/card/submit` are one): the same key at both refund endpoints is two refunds, so repeat a request where it was first sent. One that holds a card number is refused.
                 * @example order-1042-refund-1
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "mid": "700000000002",
                 *       "title": "Online Retail EUR",
                 *       "companyId": 1,
                 *       "gatewayId": 1,
                 *       "descriptor": "ONLINE RETAIL",
                 *       "defaultCurrency": "EUR",
                 *       "currencies": [
                 *         {
                 *           "currency": "EUR",
                 *           "gatewayCredentials": {
                 *             "apiKey": "key-of-the-gateway"
                 *           }
                 *         }
                 *       ],
                 *       "mcc": "5947",
                 *       "maxPrice": 500,
                 *       "monthlyCap": 50000,
                 *       "discountRatePercentage": 1.4
                 *     }
                 */
                "application/json": components["schemas"]["MerchantAccountInput"];
            };
        };
        responses: {
            /** @description The account */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MerchantAccountResult"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    getMerchantAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The merchant account id
                 * @example 1000000000
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The account */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MerchantAccount"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    replaceMerchantAccount: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of the version that is to be changed; another one is refused with 412.
                 * @example "3"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The merchant account id
                 * @example 1000000000
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "mid": "700000000002",
                 *       "title": "Online Retail EUR",
                 *       "companyId": 1,
                 *       "gatewayId": 1,
                 *       "descriptor": "ONLINE RETAIL",
                 *       "defaultCurrency": "EUR",
                 *       "currencies": [
                 *         {
                 *           "currency": "EUR",
                 *           "gatewayCredentials": {
                 *             "apiKey": "key-of-the-gateway"
                 *           }
                 *         }
                 *       ],
                 *       "mcc": "5947",
                 *       "maxPrice": 500,
                 *       "monthlyCap": 60000,
                 *       "discountRatePercentage": 1.4,
                 *       "rowVersion": 1
                 *     }
                 */
                "application/json": components["schemas"]["MerchantAccountReplacement"];
            };
        };
        responses: {
            /** @description The account */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MerchantAccountResult"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    amendMerchantAccount: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of the version that is to be changed; another one is refused with 412.
                 * @example "3"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The merchant account id
                 * @example 1000000000
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "monthlyCap": 60000,
                 *       "maxPrice": null
                 *     }
                 */
                "application/json": components["schemas"]["MerchantAccountPatch"];
                "application/merge-patch+json": components["schemas"]["MerchantAccountPatch"];
            };
        };
        responses: {
            /** @description The account */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MerchantAccountResult"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    openMerchantAccounts: {
        parameters: {
            query?: {
                /** @description true: nothing is opened where a line is refused */
                atomic?: boolean;
            };
            header?: {
                /**
                 * @description Names the request: a repetition within 24 hours gets the first answer, and the money moves once. A key belongs to one operation (`/v1/payments` and `/v1/card/submit` are one): the same key at both refund endpoints is two refunds, so repeat a request where it was first sent. One that holds a card number is refused.
                 * @example order-1042-refund-1
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example [
                 *       {
                 *         "mid": "700000000002",
                 *         "title": "Online Retail EUR",
                 *         "companyId": 1,
                 *         "gatewayId": 1,
                 *         "descriptor": "ONLINE RETAIL",
                 *         "defaultCurrency": "EUR",
                 *         "currencies": [
                 *           {
                 *             "currency": "EUR",
                 *             "gatewayCredentials": {
                 *               "apiKey": "key-of-the-gateway"
                 *             }
                 *           }
                 *         ],
                 *         "mcc": "5947",
                 *         "maxPrice": 500,
                 *         "monthlyCap": 50000,
                 *         "discountRatePercentage": 1.4
                 *       }
                 *     ]
                 */
                "application/json": components["schemas"]["MerchantAccountBatch"];
                /**
                 * @example mid,title,companyId,gatewayId,descriptor,defaultCurrency,currencies,apiKey,monthlyCap
                 *     700000000003,Online Retail USD,1,1,ONLINE RETAIL,USD,USD;CAD,key-of-the-gateway,50000
                 */
                "text/csv": string;
                /** @example {"mid":"700000000004","title":"Online Retail JPY","companyId":1,"gatewayId":1,"descriptor":"ONLINE RETAIL","defaultCurrency":"JPY","currencies":[{"currency":"JPY"}]} */
                "application/x-ndjson": string;
                /** @example {"mid":"700000000004","title":"Online Retail JPY","companyId":1,"gatewayId":1,"descriptor":"ONLINE RETAIL","defaultCurrency":"JPY","currencies":[{"currency":"JPY"}]} */
                "application/jsonl": string;
            };
        };
        responses: {
            /** @description A result for each line */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MerchantAccountBatchResult"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    listPayments: {
        parameters: {
            query?: {
                /** @description Of any of these emails, in upper or lower case */
                emails?: string[];
                /** @description Of any of these orders */
                orderIds?: number[];
                /** @description Any of these transactions */
                transactionIds?: string[];
                /** @description With any of these ids at the gateway */
                gatewayTransactionIds?: string[];
                /** @description The first six digits of the card, all that is stored */
                bin?: string;
                /** @description The last four digits of the card number */
                last4?: string;
                /** @description The given name of the person */
                firstName?: string;
                /** @description The family name of the person */
                lastName?: string;
                /** @description With any of these authorization codes */
                authCodes?: string[];
                currency?: string;
                /** @description A day in GMT, included */
                dateFrom?: string;
                /** @description A day in GMT, included */
                dateTo?: string;
                /** @description A part of the descriptor, in upper or lower case */
                descriptorContains?: string;
                /** @description true: test data, which no gateway of the real world has seen */
                sandbox?: boolean;
                /** @description Made by any of these applications */
                applicationIds?: number[];
                /** @description Of any of these products */
                productIds?: number[];
                /** @description Of any of these campaigns */
                campaignIds?: number[];
                /** @description At any of these merchant accounts */
                merchantAccountIds?: number[];
                /** @description Of any of these companies */
                companyIds?: number[];
                /** @description The rebills of any of these subscriptions, and the payments that started them */
                subscriptionIds?: number[];
                /** @description Of any of these affiliates */
                affiliateIds?: number[];
                amounts?: number[];
                /** @description The most elements of a page */
                limit?: number;
                /** @description `nextCursor` of the page before; absent: the first page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of payments */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentList"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    createPayment: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request: a repetition within 24 hours gets the first answer, and the money moves once. A key belongs to one operation (`/v1/payments` and `/v1/card/submit` are one): the same key at both refund endpoints is two refunds, so repeat a request where it was first sent. One that holds a card number is refused.
                 * @example order-1042-refund-1
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "amount": 19.99,
                 *       "currency": "GBP",
                 *       "email": "ben@shop.example",
                 *       "card": {
                 *         "number": "4242424242424242",
                 *         "expMonth": 12,
                 *         "expYear": 2035,
                 *         "cvv": "123"
                 *       },
                 *       "companyId": 1
                 *     }
                 */
                "application/json": components["schemas"]["PaymentInput"];
            };
        };
        responses: {
            /** @description The payment was taken, or waits for `nextAction` */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Payment"];
                };
            };
            /** @description The gateway has not answered: the outcome is not known yet */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Payment"];
                };
            };
            /** @description The payment was declined */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Payment"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    submitCard: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request: a repetition within 24 hours gets the first answer, and the money moves once. A key belongs to one operation (`/v1/payments` and `/v1/card/submit` are one): the same key at both refund endpoints is two refunds, so repeat a request where it was first sent. One that holds a card number is refused.
                 * @example order-1042-refund-1
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "amount": 19.99,
                 *       "currency": "GBP",
                 *       "email": "ben@shop.example",
                 *       "card": {
                 *         "number": "4242424242424242",
                 *         "expMonth": 12,
                 *         "expYear": 2035,
                 *         "cvv": "123"
                 *       },
                 *       "companyId": 1
                 *     }
                 */
                "application/json": components["schemas"]["PaymentInput"];
            };
        };
        responses: {
            /** @description The payment was taken, or waits for `nextAction` */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Payment"];
                };
            };
            /** @description The gateway has not answered: the outcome is not known yet */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Payment"];
                };
            };
            /** @description The payment was declined */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Payment"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    getPayment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The payment id
                 * @example 0e3eb00c-930f-8aa8-a016-a978d230da71
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The payment */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Payment"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    confirmPayment: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request: a repetition within 24 hours gets the first answer, and the money moves once. A key belongs to one operation (`/v1/payments` and `/v1/card/submit` are one): the same key at both refund endpoints is two refunds, so repeat a request where it was first sent. One that holds a card number is refused.
                 * @example order-1042-refund-1
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The payment id
                 * @example 0e3eb00c-930f-8aa8-a016-a978d230da71
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["NoFields"];
            };
        };
        responses: {
            /** @description The payment */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Payment"];
                };
            };
            /** @description The gateway has not answered yet */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Payment"];
                };
            };
            /** @description The payment was declined */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Payment"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    capturePayment: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request: a repetition within 24 hours gets the first answer, and the money moves once. A key belongs to one operation (`/v1/payments` and `/v1/card/submit` are one): the same key at both refund endpoints is two refunds, so repeat a request where it was first sent. One that holds a card number is refused.
                 * @example order-1042-refund-1
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The payment id
                 * @example 0e3eb00c-930f-8aa8-a016-a978d230da71
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "amount": 19.99
                 *     }
                 */
                "application/json": components["schemas"]["CaptureInput"];
            };
        };
        responses: {
            /** @description The payment */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Payment"];
                };
            };
            /** @description The gateway has not answered yet */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Payment"];
                };
            };
            /** @description The gateway refused; the authorization stands */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Payment"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    voidPayment: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request: a repetition within 24 hours gets the first answer, and the money moves once. A key belongs to one operation (`/v1/payments` and `/v1/card/submit` are one): the same key at both refund endpoints is two refunds, so repeat a request where it was first sent. One that holds a card number is refused.
                 * @example order-1042-refund-1
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The payment id
                 * @example 0e3eb00c-930f-8aa8-a016-a978d230da71
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["NoFields"];
            };
        };
        responses: {
            /** @description The payment */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Payment"];
                };
            };
            /** @description The gateway has not answered yet */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Payment"];
                };
            };
            /** @description The gateway refused; the payment stands */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Payment"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    refundPayment: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request: a repetition within 24 hours gets the first answer, and the money moves once. A key belongs to one operation (`/v1/payments` and `/v1/card/submit` are one): the same key at both refund endpoints is two refunds, so repeat a request where it was first sent. One that holds a card number is refused.
                 * @example order-1042-refund-1
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The payment id
                 * @example 0e3eb00c-930f-8aa8-a016-a978d230da71
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "amount": 0,
                 *       "sendUserCommunication": false
                 *     }
                 */
                "application/json": components["schemas"]["PaymentRefundInput"];
            };
        };
        responses: {
            /** @description The refund */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refund"];
                };
            };
            /** @description The gateway has not answered: the refund is pending */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refund"];
                };
            };
            /** @description The gateway refused; nothing was paid */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refund"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    createCheckoutSession: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request: a repetition within 24 hours gets the first answer, and the money moves once. A key belongs to one operation (`/v1/payments` and `/v1/card/submit` are one): the same key at both refund endpoints is two refunds, so repeat a request where it was first sent. One that holds a card number is refused.
                 * @example order-1042-refund-1
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "amount": 19.99,
                 *       "currency": "GBP",
                 *       "email": "ben@shop.example",
                 *       "companyId": 1,
                 *       "partnerSession": "visit-7f3a",
                 *       "successUrl": "https://shop.example/thanks",
                 *       "cancelUrl": "https://shop.example/cart",
                 *       "expiresIn": 3600
                 *     }
                 */
                "application/json": components["schemas"]["CheckoutSessionInput"];
            };
        };
        responses: {
            /** @description The session */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenedCheckoutSession"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    getCheckoutSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The session id
                 * @example 0e3eb00c-930f-8aa8-a016-a978d230da72
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckoutSession"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    showCheckoutSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The session id
                 * @example 0e3eb00c-930f-8aa8-a016-a978d230da72
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "clientSecret": "0e3eb00c-930f-8aa8-a016-a978d230da72_secret_RlVja5Tm1XhYAb0PYcO3aXw7TQ0o5nL8q2uPz6Yk4vA"
                 *     }
                 */
                "application/json": components["schemas"]["CheckoutSessionPass"];
            };
        };
        responses: {
            /** @description The session */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublicCheckoutSession"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    preflightShowCheckout: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The session id
                 * @example 0e3eb00c-930f-8aa8-a016-a978d230da72
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It may */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Refusal"];
        };
    };
    payCheckoutSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The session id
                 * @example 0e3eb00c-930f-8aa8-a016-a978d230da72
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "clientSecret": "0e3eb00c-930f-8aa8-a016-a978d230da72_secret_RlVja5Tm1XhYAb0PYcO3aXw7TQ0o5nL8q2uPz6Yk4vA",
                 *       "card": {
                 *         "number": "4242424242424242",
                 *         "expMonth": 12,
                 *         "expYear": 2035,
                 *         "cvv": "123"
                 *       },
                 *       "attempt": 1
                 *     }
                 */
                "application/json": components["schemas"]["CheckoutPayInput"];
            };
        };
        responses: {
            /** @description It is paid, or waits for `nextAction` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublicCheckoutSession"];
                };
            };
            /** @description The outcome is not known yet: ask again */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublicCheckoutSession"];
                };
            };
            /** @description The card was declined; another may follow */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublicCheckoutSession"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    preflightPayCheckout: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The session id
                 * @example 0e3eb00c-930f-8aa8-a016-a978d230da72
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It may */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Refusal"];
        };
    };
    concludeCheckoutAction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The session id
                 * @example 0e3eb00c-930f-8aa8-a016-a978d230da72
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "clientSecret": "0e3eb00c-930f-8aa8-a016-a978d230da72_secret_RlVja5Tm1XhYAb0PYcO3aXw7TQ0o5nL8q2uPz6Yk4vA",
                 *       "outcome": "done"
                 *     }
                 */
                "application/json": components["schemas"]["CheckoutActionInput"];
            };
        };
        responses: {
            /** @description It is paid, or waits for `nextAction` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublicCheckoutSession"];
                };
            };
            /** @description The outcome is not known yet: ask again */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublicCheckoutSession"];
                };
            };
            /** @description The card was declined; another may follow */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublicCheckoutSession"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    preflightActionCheckout: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The session id
                 * @example 0e3eb00c-930f-8aa8-a016-a978d230da72
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It may */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Refusal"];
        };
    };
    listSubscriptions: {
        parameters: {
            query?: {
                /** @description `active`: billed; `frozen`: no longer billed, until it is unfrozen; `ended`: unsubscribed. In the records an `active` one has `active` without `frozen`, a `frozen` one both, and an `ended` one no `active` */
                status?: "active" | "frozen" | "ended";
                /** @description The merchant account that is billed at */
                merchantAccountId?: number;
                /** @description Absent: live data with a live key, test data with a test key */
                sandbox?: boolean;
                /** @description The most elements of a page */
                limit?: number;
                /** @description `nextCursor` of the page before; absent: the first page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of subscriptions */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionList"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    getSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The subscriber id
                 * @example 1000000000
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The subscription */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionDetail"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    getSubscriptionSchedule: {
        parameters: {
            query?: {
                /** @description The number of charges */
                count?: number;
            };
            header?: never;
            path: {
                /**
                 * @description The subscriber id
                 * @example 1000000000
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The schedule */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionSchedule"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    listCustomerSubscriptions: {
        parameters: {
            query?: {
                /** @description Absent: live data with a live key, test data with a test key */
                sandbox?: boolean;
                /** @description The most elements of a page */
                limit?: number;
                /** @description `nextCursor` of the page before; absent: the first page */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The customer id
                 * @example 17850
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of subscriptions */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CustomerSubscriptions"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    freezeSubscription: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request: a repetition within 24 hours gets the first answer, and the money moves once. A key belongs to one operation (`/v1/payments` and `/v1/card/submit` are one): the same key at both refund endpoints is two refunds, so repeat a request where it was first sent. One that holds a card number is refused.
                 * @example order-1042-refund-1
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The subscriber id
                 * @example 1000000000
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "note": "On holiday"
                 *     }
                 */
                "application/json": components["schemas"]["SubscriptionFreezeInput"];
            };
        };
        responses: {
            /** @description The subscription */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionDetail"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    unfreezeSubscription: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request: a repetition within 24 hours gets the first answer, and the money moves once. A key belongs to one operation (`/v1/payments` and `/v1/card/submit` are one): the same key at both refund endpoints is two refunds, so repeat a request where it was first sent. One that holds a card number is refused.
                 * @example order-1042-refund-1
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The subscriber id
                 * @example 1000000000
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["NoFields"];
            };
        };
        responses: {
            /** @description The subscription */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionDetail"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    endSubscription: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request: a repetition within 24 hours gets the first answer, and the money moves once. A key belongs to one operation (`/v1/payments` and `/v1/card/submit` are one): the same key at both refund endpoints is two refunds, so repeat a request where it was first sent. One that holds a card number is refused.
                 * @example order-1042-refund-1
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The subscriber id
                 * @example 1000000000
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "sendUserCommunication": false
                 *     }
                 */
                "application/json": components["schemas"]["SubscriptionEndInput"];
            };
        };
        responses: {
            /** @description The subscription */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionDetail"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    changeSubscriptionCard: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request: a repetition within 24 hours gets the first answer, and the money moves once. A key belongs to one operation (`/v1/payments` and `/v1/card/submit` are one): the same key at both refund endpoints is two refunds, so repeat a request where it was first sent. One that holds a card number is refused.
                 * @example order-1042-refund-1
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The subscriber id
                 * @example 1000000000
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "card": {
                 *         "number": "5555555555554444",
                 *         "expMonth": 12,
                 *         "expYear": 2035,
                 *         "cvv": "123"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["SubscriptionCardInput"];
            };
        };
        responses: {
            /** @description The subscription */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionDetail"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    changeSubscriptionPlan: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request: a repetition within 24 hours gets the first answer, and the money moves once. A key belongs to one operation (`/v1/payments` and `/v1/card/submit` are one): the same key at both refund endpoints is two refunds, so repeat a request where it was first sent. One that holds a card number is refused.
                 * @example order-1042-refund-1
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The subscriber id
                 * @example 1000000000
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "rebillAmount": 24.99,
                 *       "frequency": 30
                 *     }
                 */
                "application/json": components["schemas"]["SubscriptionPlanInput"];
            };
        };
        responses: {
            /** @description The subscription */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionDetail"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    listMitigationTransactions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "dateFrom": "2010-12-01",
                 *       "includeUpdated": true,
                 *       "limit": 10
                 *     }
                 */
                "application/json": components["schemas"]["MitigationTransactionSearch"];
            };
        };
        responses: {
            /** @description A page of transactions */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MitigationTransactionSearchResult"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    searchMitigation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ben@shop.example",
                 *       "dateFrom": "2010-12-01"
                 *     }
                 */
                "application/json": components["schemas"]["MitigationSearch"];
            };
        };
        responses: {
            /** @description What matches */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MitigationSearchResult"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    reportChargeback: {
        parameters: {
            query: {
                /** @description A name for who reports: small letters, digits and dashes */
                provider: string;
                /** @description The tenant id, of messages that are signed and have no ClientId header */
                clientId?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reference": "CB-2026-000123",
                 *       "amount": 19.99,
                 *       "currency": "GBP",
                 *       "transactionId": "0e3eb00c-930f-8aa8-a016-a978d230da71",
                 *       "reasonCode": "10.4"
                 *     }
                 */
                "application/json": components["schemas"]["ChargebackReport"];
            };
        };
        responses: {
            /** @description What it was matched with */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DisputeReportResult"];
                };
            };
            /** @description Kept without a payment */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DisputeReportResult"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    reportAlert: {
        parameters: {
            query: {
                /** @description A name for who reports: small letters, digits and dashes */
                provider: string;
                /** @description The tenant id, of messages that are signed and have no ClientId header */
                clientId?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reference": "AL-2026-000123",
                 *       "amount": 19.99,
                 *       "currency": "GBP",
                 *       "transactionId": "0e3eb00c-930f-8aa8-a016-a978d230da71",
                 *       "type": "CustomerDispute",
                 *       "source": "CDRN"
                 *     }
                 */
                "application/json": components["schemas"]["AlertReport"];
            };
        };
        responses: {
            /** @description What it was matched with */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DisputeReportResult"];
                };
            };
            /** @description Kept without a payment */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DisputeReportResult"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    listDisputes: {
        parameters: {
            query?: {
                /** @description Of any of these statuses */
                status?: string[];
                /** @description Of this kind alone */
                kind?: "chargeback" | "alert";
                /** @description At any of these merchant accounts */
                merchantAccountIds?: number[];
                /** @description To be answered by then */
                dueBy?: string;
                /** @description true: test data, which no gateway of the real world has seen */
                sandbox?: boolean;
                /** @description The most elements of a page */
                limit?: number;
                /** @description `nextCursor` of the page before; absent: the first page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of disputes */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Disputes"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    getDispute: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the chargeback or alert
                 * @example 01980a3c-5b1e-8c1f-8d5a-2f6b7c8d9e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The dispute */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DisputeShown"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    acceptDispute: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the chargeback or alert
                 * @example 01980a3c-5b1e-8c1f-8d5a-2f6b7c8d9e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "note": "Agreed with the customer"
                 *     }
                 */
                "application/json": components["schemas"]["DisputeNote"];
            };
        };
        responses: {
            /** @description The dispute as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DisputeAnswered"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    refundDispute: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the chargeback or alert
                 * @example 01980a3c-5b1e-8c1f-8d5a-2f6b7c8d9e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "note": "Agreed with the customer"
                 *     }
                 */
                "application/json": components["schemas"]["DisputeNote"];
            };
        };
        responses: {
            /** @description The dispute as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DisputeAnswered"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    declineDispute: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the chargeback or alert
                 * @example 01980a3c-5b1e-8c1f-8d5a-2f6b7c8d9e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "note": "Agreed with the customer"
                 *     }
                 */
                "application/json": components["schemas"]["DisputeNote"];
            };
        };
        responses: {
            /** @description The dispute as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DisputeAnswered"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    representDispute: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the chargeback or alert
                 * @example 01980a3c-5b1e-8c1f-8d5a-2f6b7c8d9e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "fields": {
                 *         "trackingNumber": "RM123456789GB"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Representment"];
            };
        };
        responses: {
            /** @description The dispute as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DisputeAnswered"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    matchDispute: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the chargeback or alert
                 * @example 01980a3c-5b1e-8c1f-8d5a-2f6b7c8d9e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "transactionId": "0e3eb00c-930f-8aa8-a016-a978d230da71"
                 *     }
                 */
                "application/json": components["schemas"]["DisputeMatch"];
            };
        };
        responses: {
            /** @description The dispute as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DisputeAnswered"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    keepDisputeEvidence: {
        parameters: {
            query?: {
                /** @description What the file is called */
                name?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The id of the chargeback or alert
                 * @example 01980a3c-5b1e-8c1f-8d5a-2f6b7c8d9e10
                 */
                id: string;
            };
            cookie?: never;
        };
        /** @description At most 5242880 bytes */
        requestBody: {
            content: {
                /** @example Delivered on 3 March, signed by A. Lovelace */
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description The file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvidenceKept"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    getDisputeEvidence: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the chargeback or alert
                 * @example 01980a3c-5b1e-8c1f-8d5a-2f6b7c8d9e10
                 */
                id: string;
                /**
                 * @description SHA-256 of the content, in hex
                 * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
                 */
                digest: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The content */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Refusal"];
        };
    };
    takeGatewayEvent: {
        parameters: {
            query?: {
                /** @description The tenant id, of messages that are signed and have no ClientId header */
                clientId?: number;
            };
            header?: never;
            path: {
                /** @description The name of the gateway */
                gateway: string;
                merchantAccountId: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_1PgafmB7WZ01zgkW",
                 *       "object": "event",
                 *       "type": "charge.dispute.created",
                 *       "created": 1767225600,
                 *       "data": {
                 *         "object": {
                 *           "id": "du_1PgafmB7WZ01zgkW",
                 *           "object": "dispute"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["GatewayEvent"];
            };
        };
        responses: {
            /** @description It is taken in */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayEventTaken"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    listBlackListEntries: {
        parameters: {
            query?: {
                /** @description Entries of this kind */
                kind?: components["schemas"]["BlackListKind"];
                /** @description Entries of exactly this value, of any kind that it can be */
                value?: string;
                /** @description Absent: the live list */
                sandbox?: boolean;
                /** @description The most elements of a page */
                limit?: number;
                /** @description `nextCursor` of the page before; absent: the first page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of entries of the black list */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlackListEntriesPage"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    createBlackListEntry: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "kind": "email",
                 *       "value": "eve@example.com",
                 *       "reason": "Card testing"
                 *     }
                 */
                "application/json": components["schemas"]["BlackListEntryInput"];
            };
        };
        responses: {
            /** @description It is made */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlackListEntryAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    getBlackListEntry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of an entry of the black list
                 * @example 01980a3c-5b1e-8c1f-8d5a-2f6b7c8d9e11
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlackListEntryAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    deleteBlackListEntry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of an entry of the black list
                 * @example 01980a3c-5b1e-8c1f-8d5a-2f6b7c8d9e11
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlackListEntryAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    changeBlackListEntry: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of the version that is to be changed; another one is refused with 412.
                 * @example "3"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The id of an entry of the black list
                 * @example 01980a3c-5b1e-8c1f-8d5a-2f6b7c8d9e11
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "Card testing",
                 *       "expiresAt": "2031-01-01T00:00:00.000Z"
                 *     }
                 */
                "application/json": components["schemas"]["BlackListEntryChange"];
            };
        };
        responses: {
            /** @description The item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlackListEntryAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    getTrialBalance: {
        parameters: {
            query?: {
                /** @description Absent: the live books */
                sandbox?: boolean;
                /** @description The merchant account; in an answer 0 or null before one was tried */
                merchantAccountId?: number;
                currency?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The trial balance */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrialBalance"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    listLedgerAccounts: {
        parameters: {
            query?: {
                /** @description Absent: the live books */
                sandbox?: boolean;
                /** @description The merchant account; in an answer 0 or null before one was tried */
                merchantAccountId?: number;
                currency?: string;
                /** @description The account, such as `acquirer-receivable` or `sales` */
                account?: string;
                /** @description The most elements of a page */
                limit?: number;
                /** @description `nextCursor` of the page before; absent: the first page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of accounts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LedgerAccounts"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    listLedgerEntries: {
        parameters: {
            query: {
                /** @description Absent: the live books */
                sandbox?: boolean;
                /** @description By its name in the trial balance */
                account: string;
                /** @description Its currency */
                currency: string;
                /** @description The merchant account; in an answer 0 or null before one was tried */
                merchantAccountId?: number;
                /** @description The first day, GMT. Absent: since the beginning */
                from?: string;
                /** @description The last day, GMT. Absent: until now */
                to?: string;
                /** @description The most elements of a page */
                limit?: number;
                /** @description `nextCursor` of the page before; absent: the first page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of entries */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LedgerEntries"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    getStatement: {
        parameters: {
            query: {
                /** @description The merchant account; in an answer 0 or null before one was tried */
                merchantAccountId: number;
                /** @description The month, in GMT */
                month: string;
                currency?: string;
                /** @description Absent: the live books */
                sandbox?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The statement */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Statement"];
                    "text/csv": string;
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    getDisputeRates: {
        parameters: {
            query?: {
                /** @description The merchant account; in an answer 0 or null before one was tried */
                merchantAccountId?: number;
                /** @description The first month. Absent: 12 months in all */
                from?: string;
                /** @description The last month, included. Absent: the present one. At most 120 months */
                to?: string;
                /** @description Absent: the live books */
                sandbox?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rates */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DisputeRates"];
                    "text/csv": string;
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    listSettlements: {
        parameters: {
            query?: {
                /** @description The merchant account; in an answer 0 or null before one was tried */
                merchantAccountId?: number;
                /** @description Absent: live data */
                sandbox?: boolean;
                /** @description The most elements of a page */
                limit?: number;
                /** @description `nextCursor` of the page before; absent: the first page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of imports */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettlementsPage"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    importSettlement: {
        parameters: {
            query: {
                /** @description The merchant account; in an answer 0 or null before one was tried */
                merchantAccountId: number;
                /** @description Names the file within its account: the same name again completes or repeats its import */
                name?: string;
                /** @description What was booked so many days before the last settled date and is in no file is `missing-there`. Absent: 3 */
                graceDays?: number;
                /** @description Absent: live data */
                sandbox?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 33554432 bytes */
        requestBody: {
            content: {
                /**
                 * @example reference,kind,gatewayTransactionId,amount,currency,fee,settledDate
                 *     payout-1-1,capture,sbx_2b34d8773cd39e88,19.99,GBP,0.40,2026-03-10
                 */
                "text/csv": string;
            };
        };
        responses: {
            /** @description The file was taken */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettlementImported"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    settlePayouts: {
        parameters: {
            query: {
                /** @description The merchant account; in an answer 0 or null before one was tried */
                merchantAccountId: number;
                /** @description Payouts that were made on this day (GMT) or later, those with differences again. Absent: what is new, and of the last 35 days at first */
                since?: string;
                /** @description Absent: live data */
                sandbox?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description They are settled */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PayoutsSettled"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    listUnmatchedSettlements: {
        parameters: {
            query?: {
                /** @description The merchant account; in an answer 0 or null before one was tried */
                merchantAccountId?: number;
                /** @description Absent: live data */
                sandbox?: boolean;
                /** @description The most elements of a page */
                limit?: number;
                /** @description `nextCursor` of the page before; absent: the first page */
                cursor?: string;
                /** @description Found by this import */
                settlementId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of differences */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UnmatchedSettlementsPage"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    getSettlement: {
        parameters: {
            query?: {
                /** @description Absent: live data */
                sandbox?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description The import
                 * @example 01980a3c-5b1e-8c1f-8d5a-2f6b7c8d9e0f
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The import */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettlementAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    getRecurringRevenue: {
        parameters: {
            query?: {
                /** @description The first month. Absent: 12 months in all */
                from?: string;
                /** @description The last month, included. Absent: the present one. At most 120 months */
                to?: string;
                currency?: string;
                /** @description Absent: live subscriptions */
                sandbox?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecurringReport"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    getSales: {
        parameters: {
            query: {
                /** @description How long a period is */
                unit: "hour" | "day" | "month";
                /** @description The first day, GMT */
                from: string;
                /** @description The last day, GMT. Of months only the months count */
                to: string;
                currency?: string;
                /** @description The merchant account; in an answer 0 or null before one was tried */
                merchantAccountId?: number;
                /** @description Absent: the live books */
                sandbox?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SalesReport"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    getWidgetFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The name of the file
                 * @example v1.js
                 */
                file: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/javascript": string;
                    "text/css": string;
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    getWidgetAddress: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Where it is */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WidgetAddress"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    getCardFrame: {
        parameters: {
            query: {
                /** @description A publishable payment key */
                key: string;
                /** @description Of the page that shows it */
                origin: string;
                /** @description The checkout session that it is for */
                session?: string;
                /** @description Whether the card is to be typed into a form of the gateway's own script */
                gatewayScript?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    getChallengePage: {
        parameters: {
            query?: {
                /** @description Whether the buyer has acted */
                done?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    writeCustomerLead: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "dora@shop.example",
                 *       "session_id": "visit-7f3a",
                 *       "first_name": "Dora",
                 *       "scans": [
                 *         {
                 *           "page": "/tea"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CustomerLeadInput"];
            };
        };
        responses: {
            /** @description It is updated */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CustomerLeadAnswer"];
                };
            };
            /** @description It is made */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CustomerLeadAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    preflightCustomerLead: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It may */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Refusal"];
        };
    };
    listLeads: {
        parameters: {
            query?: {
                /** @description Leads of this status */
                status?: "new" | "paid";
                /** @description Created on this day (GMT) or later */
                dateFrom?: string;
                /** @description Created on this day (GMT) or before */
                dateTo?: string;
                /** @description The email of the customer */
                email?: string;
                sessionId?: string;
                /** @description Absent: live leads */
                sandbox?: boolean;
                /** @description The most elements of a page */
                limit?: number;
                /** @description `nextCursor` of the page before; absent: the first page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of leads */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LeadsPage"];
                    "text/csv": string;
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    receiveTransaction: {
        parameters: {
            query: {
                /** @description The source of a webhook endpoint with `direction=in` */
                source: string;
                /** @description The tenant id, of messages that are signed and have no ClientId header */
                clientId?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt-2026-000123",
                 *       "type": "payment.captured",
                 *       "data": {
                 *         "transaction": {
                 *           "id": "P-1001",
                 *           "amount": 19.99,
                 *           "currency": "GBP",
                 *           "applicationId": 1,
                 *           "partnerSession": "visit-7f3a"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["TransactionMessage"];
            };
        };
        responses: {
            /** @description It is taken in */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransactionMessageTaken"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    listEmails: {
        parameters: {
            query?: {
                status?: "accepted" | "deferred" | "sent" | "failed";
                /** @description Of this kind */
                kind?: "submitted" | "refunded" | "unsubscribed" | "rebill-failed" | "frozen" | "renewed" | "invited" | "password-reset";
                /** @description To this recipient */
                to?: string;
                /** @description Accepted on this day (GMT) or later */
                dateFrom?: string;
                /** @description Accepted on this day (GMT) or before */
                dateTo?: string;
                /** @description The most elements of a page */
                limit?: number;
                /** @description `next` of the page before */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of emails */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailsPage"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    sendEmail: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request: a repetition within 24 hours gets the first answer, and the money moves once. A key belongs to one operation (`/v1/payments` and `/v1/card/submit` are one): the same key at both refund endpoints is two refunds, so repeat a request where it was first sent. One that holds a card number is refused.
                 * @example order-1042-refund-1
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "from": "Online Retail <post@online-retail.example>",
                 *       "to": "cleo@shop.example",
                 *       "subject": "Your order 1042",
                 *       "templateType": "string",
                 *       "templateContent": "<p>Hello {{name}},</p>{{#if paid}}<p>Thank you.</p>{{/if}}",
                 *       "templateData": {
                 *         "name": "Cleo",
                 *         "paid": true
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["EmailRequest"];
            };
        };
        responses: {
            /** @description It is accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailAccepted"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    sendEmails: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request: a repetition within 24 hours gets the first answer, and the money moves once. A key belongs to one operation (`/v1/payments` and `/v1/card/submit` are one): the same key at both refund endpoints is two refunds, so repeat a request where it was first sent. One that holds a card number is refused.
                 * @example order-1042-refund-1
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "emails": [
                 *         {
                 *           "from": "Online Retail <post@online-retail.example>",
                 *           "to": "cleo@shop.example",
                 *           "subject": "News",
                 *           "templateType": "react",
                 *           "templateName": "generic",
                 *           "templateData": {
                 *             "heading": "News",
                 *             "body": "There is a new shop."
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["EmailBatchRequest"];
            };
        };
        responses: {
            /** @description A result for each */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailBatchAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    previewEmail: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "from": "Online Retail <post@online-retail.example>",
                 *       "to": "cleo@shop.example",
                 *       "subject": "Your order 1042",
                 *       "templateType": "string",
                 *       "templateContent": "<p>Hello {{name}},</p>{{#if paid}}<p>Thank you.</p>{{/if}}",
                 *       "templateData": {
                 *         "name": "Cleo",
                 *         "paid": true
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["EmailRequest"];
            };
        };
        responses: {
            /** @description Both parts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailPreview"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    getEmail: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the email
                 * @example 01980a3c-5b1e-7c1f-8d5a-2f6b7c8d9e0f
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The email */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    resendEmail: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request: a repetition within 24 hours gets the first answer, and the money moves once. A key belongs to one operation (`/v1/payments` and `/v1/card/submit` are one): the same key at both refund endpoints is two refunds, so repeat a request where it was first sent. One that holds a card number is refused.
                 * @example order-1042-refund-1
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The id of the email
                 * @example 01980a3c-5b1e-7c1f-8d5a-2f6b7c8d9e0f
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailAccepted"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    listKeys: {
        parameters: {
            query?: {
                /** @description The most elements of a page */
                limit?: number;
                /** @description `nextCursor` of the page before; absent: the first page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of API keys */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeysPage"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    createKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "label": "Back office",
                 *       "scopes": [
                 *         "transactions:read"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ApiKeyInput"];
            };
        };
        responses: {
            /** @description It is made */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyMade"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    getKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of an API key
                 * @example 01980a3c-5b1e-7c1f-8d5a-2f6b7c8d9e0f
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    deleteKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of an API key
                 * @example 01980a3c-5b1e-7c1f-8d5a-2f6b7c8d9e0f
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    rotateKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of an API key
                 * @example 01980a3c-5b1e-7c1f-8d5a-2f6b7c8d9e0f
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "overlapDays": 1
                 *     }
                 */
                "application/json": components["schemas"]["KeyRotation"];
            };
        };
        responses: {
            /** @description It is made */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyMade"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    listPermissions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All scopes */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Permissions"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    listLeadKeys: {
        parameters: {
            query?: {
                /** @description The most elements of a page */
                limit?: number;
                /** @description `nextCursor` of the page before; absent: the first page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of lead keys */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LeadKeysPage"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    createLeadKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "label": "Shop pages",
                 *       "applicationId": 1,
                 *       "allowedOrigins": [
                 *         "https://shop.acme.example"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["LeadKeyInput"];
            };
        };
        responses: {
            /** @description It is made */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LeadKeyMade"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    getLeadKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a lead key
                 * @example 01980a3c-5b1e-7c1f-8d5a-2f6b7c8d9e0f
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LeadKeyAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    deleteLeadKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a lead key
                 * @example 01980a3c-5b1e-7c1f-8d5a-2f6b7c8d9e0f
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LeadKeyAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    changeLeadKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of the version that is to be changed; another one is refused with 412.
                 * @example "3"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The id of a lead key
                 * @example 01980a3c-5b1e-7c1f-8d5a-2f6b7c8d9e0f
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "allowedOrigins": [
                 *         "https://shop.acme.example",
                 *         "https://acme.example"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["LeadKeyChange"];
            };
        };
        responses: {
            /** @description The item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LeadKeyAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    rotateLeadKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a lead key
                 * @example 01980a3c-5b1e-7c1f-8d5a-2f6b7c8d9e0f
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "overlapDays": 1
                 *     }
                 */
                "application/json": components["schemas"]["KeyRotation"];
            };
        };
        responses: {
            /** @description It is made */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LeadKeyMade"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    listSenderDomains: {
        parameters: {
            query?: {
                /** @description The most elements of a page */
                limit?: number;
                /** @description `nextCursor` of the page before; absent: the first page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of sender domains */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SenderDomainsPage"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    createSenderDomain: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "domain": "mail.acme.example",
                 *       "includeSubdomains": true
                 *     }
                 */
                "application/json": components["schemas"]["SenderDomainInput"];
            };
        };
        responses: {
            /** @description It is made */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SenderDomainAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    getSenderDomain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a sender domain
                 * @example 01980a3c-5b1e-7c1f-8d5a-2f6b7c8d9e0f
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SenderDomainAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    deleteSenderDomain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a sender domain
                 * @example 01980a3c-5b1e-7c1f-8d5a-2f6b7c8d9e0f
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SenderDomainAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    changeSenderDomain: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of the version that is to be changed; another one is refused with 412.
                 * @example "3"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The id of a sender domain
                 * @example 01980a3c-5b1e-7c1f-8d5a-2f6b7c8d9e0f
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "includeSubdomains": false
                 *     }
                 */
                "application/json": components["schemas"]["SenderDomainChange"];
            };
        };
        responses: {
            /** @description The item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SenderDomainAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    listSuppressions: {
        parameters: {
            query?: {
                /** @description This address alone */
                email?: string;
                /** @description Absent: live ones */
                sandbox?: boolean;
                /** @description The most elements of a page */
                limit?: number;
                /** @description `nextCursor` of the page before; absent: the first page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of suppressions */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuppressionsPage"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    createSuppression: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "dan@shop.example",
                 *       "note": "Asked by telephone"
                 *     }
                 */
                "application/json": components["schemas"]["SuppressionInput"];
            };
        };
        responses: {
            /** @description It is made */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuppressionAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    getSuppression: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a suppression
                 * @example 01980a3c-5b1e-8c1f-8d5a-2f6b7c8d9e12
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuppressionAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    deleteSuppression: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a suppression
                 * @example 01980a3c-5b1e-8c1f-8d5a-2f6b7c8d9e12
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuppressionAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    getMailSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The settings */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MailSettingsAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    changeMailSettings: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of the version that is to be changed; another one is refused with 412.
                 * @example "3"
                 */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "tracking": {
                 *         "opens": true
                 *       },
                 *       "language": "de"
                 *     }
                 */
                "application/json": components["schemas"]["MailSettingsChange"];
            };
        };
        responses: {
            /** @description The settings */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MailSettingsAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    previewMailText: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "kind": "refunded",
                 *       "own": {
                 *         "subject": "{{refunded}} is on its way",
                 *         "text": "Dear {{firstName}}, thank you."
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["MailTextPreview"];
            };
        };
        responses: {
            /** @description The mail */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MailTextPreviewAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    listWebhookEndpoints: {
        parameters: {
            query?: {
                direction?: "out" | "in";
                /** @description The most elements of a page */
                limit?: number;
                /** @description `nextCursor` of the page before; absent: the first page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of webhook endpoints */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpointsPage"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    createWebhookEndpoint: {
        parameters: {
            query?: {
                direction?: "out" | "in";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://hooks.acme.example/counterfoil",
                 *       "eventTypes": [
                 *         "customer_lead.paid",
                 *         "payment.captured"
                 *       ],
                 *       "description": "Fulfilment"
                 *     }
                 */
                "application/json": components["schemas"]["WebhookEndpointInput"];
            };
        };
        responses: {
            /** @description It is made */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpointMade"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    getWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a webhook endpoint
                 * @example 01980a3c-5b1e-7c1f-8d5a-2f6b7c8d9e0f
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpointAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    deleteWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a webhook endpoint
                 * @example 01980a3c-5b1e-7c1f-8d5a-2f6b7c8d9e0f
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpointAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    changeWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of the version that is to be changed; another one is refused with 412.
                 * @example "3"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The id of a webhook endpoint
                 * @example 01980a3c-5b1e-7c1f-8d5a-2f6b7c8d9e0f
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "paused"
                 *     }
                 */
                "application/json": components["schemas"]["WebhookEndpointChange"];
            };
        };
        responses: {
            /** @description The item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpointAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    rotateWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a webhook endpoint
                 * @example 01980a3c-5b1e-7c1f-8d5a-2f6b7c8d9e0f
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "overlapDays": 2
                 *     }
                 */
                "application/json": components["schemas"]["WebhookRotation"];
            };
        };
        responses: {
            /** @description It is made */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpointMade"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    pauseWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a webhook endpoint
                 * @example 01980a3c-5b1e-7c1f-8d5a-2f6b7c8d9e0f
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpointAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    resumeWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a webhook endpoint
                 * @example 01980a3c-5b1e-7c1f-8d5a-2f6b7c8d9e0f
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpointAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description Deliveries of this status */
                status?: "pending" | "held" | "delivered" | "dead";
                /** @description Of these types; all when absent */
                type?: string[];
                /** @description Happened on this day (GMT) or later */
                dateFrom?: string;
                /** @description Happened on this day (GMT) or before */
                dateTo?: string;
                /** @description The most elements of a page */
                limit?: number;
                /** @description `nextCursor` of the page before; absent: the first page */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The id of the endpoint
                 * @example 01980a3c-5b1e-7c1f-8d5a-2f6b7c8d9e0f
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deliveries */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveriesPage"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    getWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the endpoint
                 * @example 01980a3c-5b1e-7c1f-8d5a-2f6b7c8d9e0f
                 */
                id: string;
                /**
                 * @description The id of the delivery
                 * @example 01980a3c-5b1e-8c1f-8d5a-2f6b7c8d9e12
                 */
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryDetailAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    replayWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the endpoint
                 * @example 01980a3c-5b1e-7c1f-8d5a-2f6b7c8d9e0f
                 */
                id: string;
                /**
                 * @description The id of the delivery
                 * @example 01980a3c-5b1e-8c1f-8d5a-2f6b7c8d9e12
                 */
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    replayWebhooks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the endpoint
                 * @example 01980a3c-5b1e-7c1f-8d5a-2f6b7c8d9e0f
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "since": "2026-03-01T00:00:00Z",
                 *       "status": "dead"
                 *     }
                 */
                "application/json": components["schemas"]["WebhookReplayInput"];
            };
        };
        responses: {
            /** @description How many */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookReplayAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    testWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the endpoint
                 * @example 01980a3c-5b1e-7c1f-8d5a-2f6b7c8d9e0f
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is on its way */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    getSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The settings */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettingsAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    changeSettings: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of the version that is to be changed; another one is refused with 412.
                 * @example "3"
                 */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "refundWindowDays": 120,
                 *       "dunning": {
                 *         "retryAfterDays": [
                 *           1,
                 *           3,
                 *           5
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["SettingsChange"];
            };
        };
        responses: {
            /** @description The settings */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettingsAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    listUsers: {
        parameters: {
            query?: {
                /** @description The most elements of a page */
                limit?: number;
                /** @description `nextCursor` of the page before; absent: the first page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of users */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsersPage"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    createUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "alex@acme.example",
                 *       "name": "Alex Agent",
                 *       "roleIds": [
                 *         "agent"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["UserInput"];
            };
        };
        responses: {
            /** @description It is made */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserMade"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    getUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a user
                 * @example 01980a3c-5b1e-7c1f-8d5a-2f6b7c8d9e0f
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    changeUser: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of the version that is to be changed; another one is refused with 412.
                 * @example "3"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The id of a user
                 * @example 01980a3c-5b1e-7c1f-8d5a-2f6b7c8d9e0f
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Alex Finch",
                 *       "roleIds": [
                 *         "agent",
                 *         "viewer"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["UserChange"];
            };
        };
        responses: {
            /** @description The item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    resetUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a user
                 * @example 01980a3c-5b1e-7c1f-8d5a-2f6b7c8d9e0f
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["NoFields"];
            };
        };
        responses: {
            /** @description It is made */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserMade"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    listRoles: {
        parameters: {
            query?: {
                /** @description The most elements of a page */
                limit?: number;
                /** @description `nextCursor` of the page before; absent: the first page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of roles */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RolesPage"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    createRole: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Night shift",
                 *       "scopes": [
                 *         "transactions:read",
                 *         "transactions:refund"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["RoleInput"];
            };
        };
        responses: {
            /** @description It is made */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoleAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    getRole: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a role
                 * @example 01980a3c-5b1e-7c1f-8d5a-2f6b7c8d9e0f
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoleAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    replaceRole: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of the version that is to be changed; another one is refused with 412.
                 * @example "3"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The id of a role
                 * @example 01980a3c-5b1e-7c1f-8d5a-2f6b7c8d9e0f
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Late shift",
                 *       "scopes": [
                 *         "transactions:read"
                 *       ],
                 *       "rowVersion": 1
                 *     }
                 */
                "application/json": components["schemas"]["RoleReplacement"];
            };
        };
        responses: {
            /** @description The item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoleAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    deleteRole: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a role
                 * @example 01980a3c-5b1e-7c1f-8d5a-2f6b7c8d9e0f
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoleAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    listActivity: {
        parameters: {
            query?: {
                /** @description Default: `live` */
                environment?: "live" | "test";
                /** @description Exactly as recorded */
                actor?: string;
                /** @description By this key */
                keyId?: string;
                /** @description As the reference names it for each operation */
                action?: string;
                /** @description The id that it was about */
                subject?: string;
                outcome?: "done" | "refused" | "failed" | "replayed";
                /** @description The first day, in GMT */
                dateFrom?: string;
                /** @description The last day, in GMT */
                dateTo?: string;
                /** @description Items of a page. Default: 100. Not for a file */
                limit?: number;
                /** @description `next` of the page before. Not for a file */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of records, or all of them as a file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActivityPage"];
                    "text/csv": string;
                    "application/x-ndjson": string;
                    "application/jsonl": string;
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    listCompanies: {
        parameters: {
            query?: {
                /** @description The most elements of a page */
                limit?: number;
                /** @description `nextCursor` of the page before; absent: the first page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of companies */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CompaniesPage"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    createCompany: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Acme Ltd"
                 *     }
                 */
                "application/json": components["schemas"]["CompanyInput"];
            };
        };
        responses: {
            /** @description It is made */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CompanyAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    getCompany: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a company
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CompanyAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    replaceCompany: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of the version that is to be changed; another one is refused with 412.
                 * @example "3"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The id of a company
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Acme Ltd",
                 *       "rowVersion": 1
                 *     }
                 */
                "application/json": components["schemas"]["CompanyReplacement"];
            };
        };
        responses: {
            /** @description The item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CompanyAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    changeCompany: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of the version that is to be changed; another one is refused with 412.
                 * @example "3"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The id of a company
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Acme Ltd"
                 *     }
                 */
                "application/json": components["schemas"]["CompanyChange"];
            };
        };
        responses: {
            /** @description The item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CompanyAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    listShops: {
        parameters: {
            query?: {
                /** @description The most elements of a page */
                limit?: number;
                /** @description `nextCursor` of the page before; absent: the first page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of shops */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShopsPage"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    createShop: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Acme shop",
                 *       "companyId": 1,
                 *       "domain": "shop.acme.example",
                 *       "rootDomain": "acme.example",
                 *       "currency": "GBP"
                 *     }
                 */
                "application/json": components["schemas"]["ShopInput"];
            };
        };
        responses: {
            /** @description It is made */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShopAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    getShop: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a shop
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShopAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    replaceShop: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of the version that is to be changed; another one is refused with 412.
                 * @example "3"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The id of a shop
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Acme shop",
                 *       "companyId": 1,
                 *       "domain": "shop.acme.example",
                 *       "rootDomain": "acme.example",
                 *       "currency": "GBP",
                 *       "rowVersion": 1
                 *     }
                 */
                "application/json": components["schemas"]["ShopReplacement"];
            };
        };
        responses: {
            /** @description The item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShopAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    changeShop: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of the version that is to be changed; another one is refused with 412.
                 * @example "3"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The id of a shop
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Acme shop",
                 *       "companyId": 1,
                 *       "domain": "shop.acme.example",
                 *       "rootDomain": "acme.example",
                 *       "currency": "GBP"
                 *     }
                 */
                "application/json": components["schemas"]["ShopChange"];
            };
        };
        responses: {
            /** @description The item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShopAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    listApplications: {
        parameters: {
            query?: {
                /** @description The most elements of a page */
                limit?: number;
                /** @description `nextCursor` of the page before; absent: the first page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of applications */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApplicationsPage"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    createApplication: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Checkout page",
                 *       "kind": 1
                 *     }
                 */
                "application/json": components["schemas"]["ApplicationInput"];
            };
        };
        responses: {
            /** @description It is made */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApplicationAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    getApplication: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of an application
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApplicationAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    replaceApplication: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of the version that is to be changed; another one is refused with 412.
                 * @example "3"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The id of an application
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Checkout page",
                 *       "kind": 1,
                 *       "rowVersion": 1
                 *     }
                 */
                "application/json": components["schemas"]["ApplicationReplacement"];
            };
        };
        responses: {
            /** @description The item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApplicationAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    changeApplication: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of the version that is to be changed; another one is refused with 412.
                 * @example "3"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The id of an application
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Checkout page",
                 *       "kind": 1
                 *     }
                 */
                "application/json": components["schemas"]["ApplicationChange"];
            };
        };
        responses: {
            /** @description The item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApplicationAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    listProducts: {
        parameters: {
            query?: {
                /** @description The most elements of a page */
                limit?: number;
                /** @description `nextCursor` of the page before; absent: the first page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of products */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProductsPage"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    createProduct: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Tea club"
                 *     }
                 */
                "application/json": components["schemas"]["ProductInput"];
            };
        };
        responses: {
            /** @description It is made */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProductAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    getProduct: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a product
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProductAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    replaceProduct: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of the version that is to be changed; another one is refused with 412.
                 * @example "3"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The id of a product
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Tea club",
                 *       "rowVersion": 1
                 *     }
                 */
                "application/json": components["schemas"]["ProductReplacement"];
            };
        };
        responses: {
            /** @description The item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProductAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    changeProduct: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of the version that is to be changed; another one is refused with 412.
                 * @example "3"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The id of a product
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Tea club"
                 *     }
                 */
                "application/json": components["schemas"]["ProductChange"];
            };
        };
        responses: {
            /** @description The item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProductAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    listPricePoints: {
        parameters: {
            query?: {
                /** @description The most elements of a page */
                limit?: number;
                /** @description `nextCursor` of the page before; absent: the first page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of price points */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PricePointsPage"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    createPricePoint: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "amount": 19.99,
                 *       "currency": "GBP",
                 *       "billingCode": "TEA-20"
                 *     }
                 */
                "application/json": components["schemas"]["PricePointInput"];
            };
        };
        responses: {
            /** @description It is made */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PricePointAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    getPricePoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a price point
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PricePointAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    replacePricePoint: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of the version that is to be changed; another one is refused with 412.
                 * @example "3"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The id of a price point
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "amount": 19.99,
                 *       "currency": "GBP",
                 *       "billingCode": "TEA-20",
                 *       "rowVersion": 1
                 *     }
                 */
                "application/json": components["schemas"]["PricePointReplacement"];
            };
        };
        responses: {
            /** @description The item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PricePointAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    changePricePoint: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of the version that is to be changed; another one is refused with 412.
                 * @example "3"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The id of a price point
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "amount": 19.99,
                 *       "currency": "GBP",
                 *       "billingCode": "TEA-20"
                 *     }
                 */
                "application/json": components["schemas"]["PricePointChange"];
            };
        };
        responses: {
            /** @description The item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PricePointAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    listCampaigns: {
        parameters: {
            query?: {
                /** @description The most elements of a page */
                limit?: number;
                /** @description `nextCursor` of the page before; absent: the first page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of campaigns */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CampaignsPage"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    createCampaign: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Spring"
                 *     }
                 */
                "application/json": components["schemas"]["CampaignInput"];
            };
        };
        responses: {
            /** @description It is made */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CampaignAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    getCampaign: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a campaign
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CampaignAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    replaceCampaign: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of the version that is to be changed; another one is refused with 412.
                 * @example "3"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The id of a campaign
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Spring",
                 *       "rowVersion": 1
                 *     }
                 */
                "application/json": components["schemas"]["CampaignReplacement"];
            };
        };
        responses: {
            /** @description The item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CampaignAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    changeCampaign: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of the version that is to be changed; another one is refused with 412.
                 * @example "3"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The id of a campaign
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Spring"
                 *     }
                 */
                "application/json": components["schemas"]["CampaignChange"];
            };
        };
        responses: {
            /** @description The item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CampaignAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    listAffiliates: {
        parameters: {
            query?: {
                /** @description The most elements of a page */
                limit?: number;
                /** @description `nextCursor` of the page before; absent: the first page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of affiliates */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AffiliatesPage"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    createAffiliate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Tea blog"
                 *     }
                 */
                "application/json": components["schemas"]["AffiliateInput"];
            };
        };
        responses: {
            /** @description It is made */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AffiliateAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    getAffiliate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of an affiliate
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AffiliateAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    replaceAffiliate: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of the version that is to be changed; another one is refused with 412.
                 * @example "3"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The id of an affiliate
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Tea blog",
                 *       "rowVersion": 1
                 *     }
                 */
                "application/json": components["schemas"]["AffiliateReplacement"];
            };
        };
        responses: {
            /** @description The item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AffiliateAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    changeAffiliate: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of the version that is to be changed; another one is refused with 412.
                 * @example "3"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The id of an affiliate
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Tea blog"
                 *     }
                 */
                "application/json": components["schemas"]["AffiliateChange"];
            };
        };
        responses: {
            /** @description The item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AffiliateAnswer"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    getTestClock: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The clock */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TestClock"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    moveTestClock: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request: a repetition within 24 hours gets the first answer, and the money moves once. A key belongs to one operation (`/v1/payments` and `/v1/card/submit` are one): the same key at both refund endpoints is two refunds, so repeat a request where it was first sent. One that holds a card number is refused.
                 * @example order-1042-refund-1
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "advanceSeconds": 3600
                 *     }
                 */
                "application/json": components["schemas"]["ClockMoveInput"];
            };
        };
        responses: {
            /** @description The clock stands there now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TestClockMoved"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    getLiveness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Liveness"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ready */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            /** @description Not ready: send requests elsewhere */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The figures */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
    getOpenApi: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of what the caller has; if it is still the same, the answer is 304.
                 * @example W/"3"
                 */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenApiDocument"];
                };
            };
            /** @description It is what If-None-Match names */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Refusal"];
        };
    };
    getReferencePage: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of what the caller has; if it is still the same, the answer is 304.
                 * @example W/"3"
                 */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description It is what If-None-Match names */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Refusal"];
        };
    };
    getRoot: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of what the caller has; if it is still the same, the answer is 304.
                 * @example W/"3"
                 */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description It is what If-None-Match names */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Refusal"];
        };
    };
    getReferenceScript: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of the file */
                file: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The script */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/javascript": string;
                };
            };
            default: components["responses"]["Refusal"];
        };
    };
}
