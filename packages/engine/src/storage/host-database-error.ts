/** The database of the hosts cannot be used. */

export type HostDatabaseErrorCode =
  /** It cannot be reached, or refuses the connection. */
  | 'unavailable'
  /** Its tables are those of a later version. */
  | 'newer';

export class HostDatabaseError extends Error {
  override readonly name = 'HostDatabaseError';
  readonly code: HostDatabaseErrorCode;

  constructor(code: HostDatabaseErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
