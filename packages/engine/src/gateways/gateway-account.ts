/** The merchant account that a call of a gateway is made for. */

/** Credentials of the merchant account at the gateway. */
export interface GatewayAccount {
  readonly merchantAccountId: number;
  readonly mid: string;
  readonly credentials: {
    readonly apiKey: string;
    readonly username: string;
    readonly password: string;
    readonly emailAddress: string;
  };
}

/** What every call names: a gateway with credentials for each account has no others. */
export interface AccountContext {
  readonly account: GatewayAccount;
  /** Test data: a gateway must use its own test mode, or refuse. No real money moves. */
  readonly sandbox: boolean;
}
