/** What calls of gateways are refused with: the same request may be accepted later. */
export type GatewayRefusal =
  /** The gateway did not answer a question, refused the connection, or answered something unintelligible. */
  | { readonly type: 'GatewayFailed'; readonly gatewayId: number }
  /** The gateway refused the credentials of the account: the request did nothing. */
  | {
      readonly type: 'CredentialsRefused';
      readonly gatewayId: number;
      readonly merchantAccountId: number;
    }
  /** Too many calls of the gateway are under way; this one was not sent. */
  | { readonly type: 'GatewayBusy'; readonly gatewayId: number }
  /** The ledger was opened without this gateway; nothing was done. */
  | { readonly type: 'GatewayUnknown'; readonly gatewayId: number };
