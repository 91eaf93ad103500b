/** Opens many merchant accounts: each line on its own, or all of them or none. */
import type { MerchantAccount, TenantId } from '@counterfoil/core';
import type { Caller } from '../command-runner.ts';
import { deterministicUuid } from '../ids.ts';
import { inputOf } from '../input/checked-calls.ts';
import { Refused } from '../refusal.ts';
import { inParallel } from '../runtime/in-parallel.ts';
import { AccountInput, type GivenAccount } from './account-input.ts';
import type { MerchantAccounts } from './merchant-accounts.ts';

/** Appends under way at a time. */
const AT_ONCE = 16;

export interface BatchRequest {
  readonly tenantId: TenantId;
  /** The idempotency id: the same batch opens each of its lines once. */
  readonly requestId: string;
  /** Unchecked: a line that is wrong is refused, and not the batch. */
  readonly lines: readonly unknown[];
  /** Opens nothing where a line is refused. */
  readonly atomic: boolean;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** What became of a line; neither, where another line kept it from being opened. */
export interface BatchLine {
  readonly account?: MerchantAccount.MerchantAccount;
  readonly refused?: Refused;
}

interface Checked {
  readonly given: GivenAccount;
  readonly settings: MerchantAccount.Settings;
}

/**
 * Checks every line first. In the order of the lines. After a crash in the middle the same request opens
 * the rest, under the ids that it had.
 */
export async function openBatch(
  accounts: MerchantAccounts,
  { tenantId, requestId, lines, atomic, onProgress }: BatchRequest,
  caller: Caller,
): Promise<readonly BatchLine[]> {
  const checked: (Checked | Refused)[] = [];
  for (const line of lines) checked.push(await checkedLine(accounts, tenantId, line));
  const results: BatchLine[] = checked.map((each) =>
    each instanceof Refused ? { refused: each } : {},
  );
  const opening = [...checked.entries()].filter(
    (entry): entry is [number, Checked] => !(entry[1] instanceof Refused),
  );
  if (opening.length === 0 || (atomic && opening.length < lines.length)) return results;
  const size = lines.length;
  const first = await accounts.allocated(tenantId, { requestId, content: lines, size });
  let done = size - opening.length;
  await inParallel({
    items: opening,
    atOnce: AT_ONCE,
    async act([index, { given, settings }]) {
      const named = { tenantId, merchantAccountId: first + index };
      const name = { requestId: deterministicUuid([requestId, String(index)]), content: given };
      results[index] = { account: await accounts.opened(named, { ...name, settings }, caller) };
      done += 1;
      onProgress?.(done, size);
    },
  });
  return results;
}

async function checkedLine(
  accounts: MerchantAccounts,
  tenantId: TenantId,
  line: unknown,
): Promise<Checked | Refused> {
  try {
    const given = inputOf(AccountInput, line);
    return { given, settings: await accounts.sealed(tenantId, given) };
  } catch (error) {
    if (error instanceof Refused && !error.isTransient) return error;
    throw error;
  }
}
