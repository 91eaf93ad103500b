/** Who operates the host: whoever may open its socket, and the users of the console that CONSOLE_OPERATORS names. */
import { emailIdentity, isEmail, TenantId } from '@counterfoil/core';

/** The form of a scope is `resource:action`, so no key and no role can have this one. */
export const OPERATOR_SCOPE = 'operator';

export interface ConsoleOperator {
  readonly tenantId: TenantId;
  readonly email: string;
}

/** Reads `7:ann@shop.example,9:ben@shop.example`; undefined where that cannot be read. */
export function consoleOperatorsOf(text: string): readonly ConsoleOperator[] | undefined {
  const operators = text.split(',').map((each) => operatorOf(each.trim()));
  return operators.every((each) => each !== undefined) ? operators : undefined;
}

function operatorOf(text: string): ConsoleOperator | undefined {
  const [, id, email = ''] = /^([1-9]\d*):(.+)$/.exec(text) ?? [];
  const { data: tenantId } = TenantId.safeParse(Number(id));
  return tenantId === undefined || !isEmail(email) ? undefined : { tenantId, email };
}

/** The email however it is written. */
export function isAmong(
  operators: readonly ConsoleOperator[],
  { tenantId, email }: ConsoleOperator,
): boolean {
  const identity = emailIdentity(email);
  return operators.some(
    (each) => each.tenantId === tenantId && emailIdentity(each.email) === identity,
  );
}
