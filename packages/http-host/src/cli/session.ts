/** What the commands share: the configured ledger opened for one piece of work. */
import { TenantId } from '@counterfoil/core';
import { InvalidArgumentError } from 'commander';
import { compose, type Host } from '../composition-root.ts';
import { readConfig } from '../config.ts';
import type { Caller } from '../operations/ledger.ts';

/** Whoever runs a command has the data folder, and is not asked for a name. */
export const OPERATOR: Caller = { actor: 'operator@localhost' };

/** The log has one writer: a command that writes is refused while a host runs on it. */
export async function withHost<Result>(work: (host: Host) => Promise<Result>): Promise<Result> {
  const host = await compose({ ...readConfig(process.env), logLevel: 'error' });
  try {
    return await work(host);
  } finally {
    await host.close();
  }
}

export function tenantIdOf(text: string): TenantId {
  const parsed = TenantId.safeParse(Number(text));
  if (parsed.success) return parsed.data;
  throw new InvalidArgumentError('must be a positive whole number');
}

export function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('must be a whole number');
}
