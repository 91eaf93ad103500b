/** The users and roles of tenants. */
import { Users as Aggregate, type TenantId } from '@counterfoil/core';
import type { Caller, CommandRunner } from '../command-runner.ts';
import { uuidV7 } from '../ids.ts';
import { type RoleView, rolesIn, scopesOf } from './roles.ts';

type Without<Command> = Command extends unknown ? Omit<Command, 'at' | 'tenantId'> : never;

/** What a caller who names a user may do. */
export interface KnownUser {
  readonly userId: string;
  readonly status: Aggregate.User['status'];
  readonly scopes: ReadonlySet<string>;
}

export class Users {
  readonly #commands: CommandRunner;
  /** Asked for when it is needed: the list of all slices has this one in it. */
  readonly #allScopes: () => readonly string[];
  /** Every state is a new object. */
  readonly #known = new WeakMap<Aggregate.State, Map<string, KnownUser | undefined>>();

  constructor(commands: CommandRunner, allScopes: () => readonly string[]) {
    this.#commands = commands;
    this.#allScopes = allScopes;
  }

  now(): string {
    return this.#commands.clock.now();
  }

  async state(tenantId: TenantId): Promise<Aggregate.State> {
    return this.#commands.stateOf(Aggregate, Aggregate.streamOf({ tenantId }));
  }

  async roles(tenantId: TenantId): Promise<readonly RoleView[]> {
    return rolesIn(await this.state(tenantId), this.#allScopes());
  }

  /** By email; from the log, so that a change is in force at once on every host. */
  async known(tenantId: TenantId, email: string): Promise<KnownUser | undefined> {
    return this.knownIn(await this.state(tenantId), email);
  }

  knownIn(state: Aggregate.State, email: string): KnownUser | undefined {
    const known = this.#known.get(state) ?? new Map<string, KnownUser | undefined>();
    if (known.has(email)) return known.get(email);
    const user = Aggregate.userOf(state, email);
    const found = user && {
      userId: user.userId,
      status: user.status,
      scopes: scopesOf(user, rolesIn(state, this.#allScopes())),
    };
    // Unknown emails are without number.
    if (found !== undefined) this.#known.set(state, known.set(email, found));
    return found;
  }

  async execute(
    tenantId: TenantId,
    command: Without<Aggregate.Command>,
    caller: Caller,
  ): Promise<Aggregate.State> {
    const whole = { ...command, tenantId, at: this.now() };
    const name = { commandId: uuidV7() };
    return (await this.#commands.execute(Aggregate, whole, name, caller)).state;
  }
}
