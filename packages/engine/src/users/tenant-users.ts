/** The users and roles of one tenant, for one caller. */
import type { Users as Aggregate } from '@counterfoil/core';
import type { Acting } from '../acting.ts';
import { uuidV7 } from '../ids.ts';
import type { CallInputs } from '../input/checked-calls.ts';
import { Listing, type Page, pageOf } from '../pages.ts';
import { made, named, type RecordedCalls } from '../recorded-calls.ts';
import { refused } from '../refusal.ts';
import type { Settings } from '../settings.ts';
import type { LinkPurpose } from './credentials.ts';
import type { RoleView } from './roles.ts';
import type { SignIns } from './sign-in.ts';
import { Invitation, RoleInput, RoleReplacement, UserChange, UserId } from './user-input.ts';
import type { Users } from './users.ts';

export type UserView = Omit<Aggregate.User, 'userId' | 'hasAccepted'> & { readonly id: string };

export interface UserWithToken extends UserView {
  /** Sets the password within 24 hours, once; null where a mail brings it to the user. */
  readonly token: string | null;
}

interface UserServices {
  readonly users: Users;
  readonly signIns: SignIns;
  /** With those of a mail server, tokens are sent to their users. */
  readonly settings: Pick<Settings, 'mail'>;
}

export class TenantUsers {
  readonly #users: Users;
  readonly #signIns: SignIns;
  readonly #isMailed: boolean;
  readonly #acting: Acting;

  constructor({ users, signIns, settings }: UserServices, acting: Acting) {
    this.#isMailed = settings.mail !== undefined;
    this.#users = users;
    this.#signIns = signIns;
    this.#acting = acting;
  }

  async list(listing: Listing = {}): Promise<Page<UserView>> {
    const { users } = await this.#state();
    return pageOf([...users.values()].map(viewOf), listing);
  }

  /** Refuses with `UserUnknown`. */
  async get(userId: string): Promise<UserView> {
    const user = (await this.#state()).users.get(userId);
    if (user === undefined) throw refused({ type: 'UserUnknown' });
    return viewOf(user);
  }

  /** Refuses with `UserExists`. */
  async invite(invitation: Invitation): Promise<UserWithToken> {
    const { tenantId, caller } = this.#acting;
    const userId = uuidV7();
    await this.#users.execute(tenantId, { type: 'InviteUser', userId, ...invitation }, caller);
    return this.#withToken(userId, 'invitation');
  }

  /** For a lost password or invitation: the tokens before are void. Refuses with `UserUnknown`. */
  async reset(userId: string): Promise<UserWithToken> {
    const { tenantId, caller } = this.#acting;
    await this.#users.execute(tenantId, { type: 'RequestPasswordReset', userId }, caller);
    return this.#withToken(userId, 'reset');
  }

  async #withToken(userId: string, purpose: LinkPurpose): Promise<UserWithToken> {
    const whose = { tenantId: this.#acting.tenantId, userId };
    const token = this.#isMailed ? null : await this.#signIns.link(whose, purpose);
    return { ...(await this.get(userId)), token };
  }

  /** Refuses with `LastOwner` for what would leave the tenant without one. A disabled user is signed out. */
  async change(userId: string, { status, rowVersion, ...change }: UserChange): Promise<UserView> {
    const { tenantId, caller } = this.#acting;
    const before = await this.get(userId);
    const { name = before.name, roleIds = before.roleIds } = change;
    const command = { type: 'ChangeUser', userId, name, roleIds, status, rowVersion } as const;
    await this.#users.execute(tenantId, command, caller);
    if (status === 'disabled') await this.#signIns.endSessions({ tenantId, userId });
    return this.get(userId);
  }

  /** Built-in ones and those of the tenant. */
  async listRoles(listing: Listing = {}): Promise<Page<RoleView>> {
    return pageOf(await this.#users.roles(this.#acting.tenantId), listing);
  }

  /** Refuses with `RoleUnknown`. */
  async getRole(roleId: string): Promise<RoleView> {
    const role = (await this.#users.roles(this.#acting.tenantId)).find(({ id }) => id === roleId);
    if (role === undefined) throw refused({ type: 'RoleUnknown', roleId });
    return role;
  }

  /** Refuses with `RoleNameTaken`. */
  async createRole(role: RoleInput): Promise<RoleView> {
    const { tenantId, caller } = this.#acting;
    const roleId = uuidV7();
    await this.#users.execute(tenantId, { type: 'DefineRole', roleId, ...role }, caller);
    return this.getRole(roleId);
  }

  /** Refuses with `RoleBuiltIn`, `RoleUnknown`, `RoleNameTaken` and `StaleRowVersion`. */
  async replaceRole(roleId: string, { rowVersion, ...role }: RoleReplacement): Promise<RoleView> {
    const { tenantId, caller } = this.#acting;
    const before = await this.getRole(roleId);
    const seen = rowVersion ?? before.rowVersion;
    const command = { type: 'DefineRole', roleId, ...role, rowVersion: seen } as const;
    await this.#users.execute(tenantId, command, caller);
    return this.getRole(roleId);
  }

  /** Refuses with `RoleInUse` while a user has it. */
  async removeRole(roleId: string): Promise<RoleView> {
    const { tenantId, caller } = this.#acting;
    const role = await this.getRole(roleId);
    await this.#users.execute(tenantId, { type: 'RemoveRole', roleId }, caller);
    return role;
  }

  #state(): Promise<Aggregate.State> {
    return this.#users.state(this.#acting.tenantId);
  }
}

function viewOf({ userId: id, hasAccepted: _, ...user }: Aggregate.User): UserView {
  return { id, ...user };
}

export const USER_INPUTS: CallInputs<TenantUsers> = {
  list: [Listing.optional()],
  get: [UserId],
  invite: [Invitation],
  reset: [UserId],
  change: [UserId, UserChange],
  listRoles: [Listing.optional()],
  getRole: [UserId],
  createRole: [RoleInput],
  replaceRole: [UserId, RoleReplacement],
  removeRole: [UserId],
};

export const USER_CALLS: RecordedCalls<TenantUsers> = {
  invite: made,
  reset: named,
  change: named,
  createRole: made,
  replaceRole: named,
  removeRole: named,
};
