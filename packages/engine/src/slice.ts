/** What each slice of the engine declares of itself; `slices.ts` lists them all. */
import type { Position } from '@counterfoil/core';
import type { OwnProjection } from '@counterfoil/projections';
import type { Acting } from './acting.ts';
import type { CommandRunner } from './command-runner.ts';
import type { GatewayOption } from './gateways/gateway-option.ts';
import type { CallInputs } from './input/checked-calls.ts';
import type { Logger } from './logger.ts';
import type { MetricsRegistry } from './metrics-registry.ts';
import type { OpenStores } from './open-stores.ts';
import type { RecordedCalls } from './recorded-calls.ts';
import type { Clock } from './runtime/clock.ts';
import type { FollowerProgress } from './runtime/follower-progress.ts';
import type { Following } from './runtime/log-follower.ts';
import type { ReadSide } from './runtime/read-side.ts';
import type { ClearableStateCache } from './runtime/state-cache.ts';
import type { TimedWork } from './runtime/timed-work.ts';
import type { Settings } from './settings.ts';
import type { KeptAnswers } from './storage/kept-answers.ts';

export interface AssemblyOptions {
  readonly settings: Settings;
  readonly stores: OpenStores;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly gatewayOptions: readonly GatewayOption[];
  readonly projections: readonly OwnProjection[];
  /** Whether this process follows the log. */
  readonly background: boolean;
}

/** Services for every slice. */
export interface Base extends AssemblyOptions {
  readonly commands: CommandRunner;
  readonly stateCache: ClearableStateCache;
  readonly readSide: ReadSide;
  /** Waits for a tenant's definitions, and not for its payments. */
  readonly definitions: ReadSide;
  /** Waits for the keys of tenants, and for what else their own streams have. */
  readonly issuedKeys: ReadSide;
  readonly followerProgress: FollowerProgress;
  /** Of all slices. */
  readonly scopes: readonly string[];
  readonly answers: KeptAnswers & { close(): Promise<void> | void };
}

export interface FollowingFrom extends Following {
  /** The head of the log when the process began. */
  readonly headAtStart: Position | undefined;
}

/** What a slice hands out to one caller of one tenant. */
export interface TenantPart<Calls extends object> {
  /** Of the arguments of its asynchronous methods. */
  readonly inputs: CallInputs<Calls>;
  readonly make: (acting: Acting) => Calls;
  /** What activity records of them; not recorded are reads. */
  readonly recorded: RecordedCalls<Calls>;
}

export function tenantPart<Calls extends object>(
  inputs: CallInputs<Calls>,
  make: (acting: Acting) => Calls,
  recorded: RecordedCalls<Calls>,
): TenantPart<Calls> {
  return { inputs, make, recorded };
}

export interface Slice<Needs extends object, Parts extends object, Tenant extends object = object> {
  /** The scopes of API keys for this slice, each with what it permits. */
  readonly scopes?: Readonly<Record<string, string>>;
  /** Makes the use cases and their services from the parts of the slices before it. Starts nothing. */
  make(needs: Needs): Parts;
  /** The parts of a tenant's ledger, by name. */
  tenant?(parts: Needs & Parts): Tenant;
  /** Scheduled work. */
  works?(parts: Needs & Parts): readonly TimedWork[];
  /** Followers of the log until the signal fires, in one process at a time. */
  followers?(parts: Needs & Parts, following: FollowingFrom): readonly Promise<unknown>[];
  /** Followers that run in every process. */
  followersOfEach?(parts: Needs & Parts, following: FollowingFrom): readonly Promise<unknown>[];
  registerMetrics?(parts: Needs & Parts, metrics: MetricsRegistry): void;
}

export function slice<Needs extends object, Parts extends object, Tenant extends object = object>(
  each: Slice<Needs, Parts, Tenant>,
): Slice<Needs, Parts, Tenant> {
  return each;
}

export type PartsOf<Each> = Each extends Slice<never, infer Parts, infer _> ? Parts : never;
