/** The users of a tenant and the roles that they have: one stream, so that the last owner is known. */
import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { z } from 'zod';
import { never } from '../kernel/aggregate.ts';
import { emailIdentity } from '../kernel/email.ts';
import { type EventsOf, event, Instant } from '../kernel/event-schema.ts';
import { canonicalJson } from '../kernel/fingerprint.ts';
import { type StreamName, streamName, type TenantId } from '../kernel/ids.ts';
import { isSameName } from '../kernel/names.ts';
import { type Stale, staleness } from '../kernel/row-version.ts';

export const MAX_USERS = 5_000;
export const MAX_ROLES = 200;
export const MAX_ROLES_OF_USER = 20;

/** Roles that every tenant has, and nobody can change. */
export const OWNER = 'owner';
export const BUILT_IN_ROLES = [
  OWNER,
  'agent',
  'disputes',
  'finance',
  'developer',
  'viewer',
] as const;
export type BuiltInRole = (typeof BUILT_IN_ROLES)[number];

const userId = z.guid();
const roleId = z.string().min(1).max(64);
const name = z.string().max(200);
const roleIds = z.array(roleId).max(MAX_ROLES_OF_USER);
const scopes = z.array(z.string().regex(/^[a-z-]+:[a-z-]+$/)).max(200);
const at = Instant;

/** Emails and names are in the clear: those who act stand in the metadata of every event anyway. */
export const events = {
  UserInvited: event({ userId, email: z.string().max(320), name, roleIds, at }),
  UserChanged: event({ userId, name, roleIds, at }),
  /** The user has accepted the invitation, or is enabled again. */
  UserActivated: event({ userId, at }),
  UserDisabled: event({ userId, at }),
  /** A disabled user is enabled again, and has yet to accept the invitation. */
  UserReinvited: event({ userId, at }),
  /** The token that sets another password is made beside the log. */
  PasswordResetRequested: event({ userId, at }),
  RoleDefined: event({ roleId, name, scopes, at }),
  RoleRemoved: event({ roleId, at }),
};
export type Event = EventsOf<typeof events>;

type Seen = { readonly rowVersion?: number | undefined };

/** `rowVersion` is the one that the caller saw; not given: whichever there is. */
export type Command = { readonly tenantId: TenantId; readonly at: string } & (
  | {
      readonly type: 'InviteUser';
      readonly userId: string;
      readonly email: string;
      readonly name: string;
      readonly roleIds: readonly string[];
    }
  | ({
      readonly type: 'ChangeUser';
      readonly userId: string;
      readonly name: string;
      readonly roleIds: readonly string[];
      /** As it is when absent. Who was never active becomes so by `ActivateUser` alone. */
      readonly status?: 'active' | 'disabled' | undefined;
    } & Seen)
  | ({ readonly type: 'ActivateUser'; readonly userId: string } & Seen)
  | { readonly type: 'RequestPasswordReset'; readonly userId: string }
  | ({
      readonly type: 'DefineRole';
      readonly roleId: string;
      readonly name: string;
      readonly scopes: readonly string[];
    } & Seen)
  | { readonly type: 'RemoveRole'; readonly roleId: string }
);
type CommandOf<Type extends Command['type']> = Extract<Command, { type: Type }>;

export type Rejection =
  | { readonly type: 'UserUnknown' }
  | { readonly type: 'UserExists'; readonly userId: string }
  | { readonly type: 'TooManyUsers'; readonly max: number }
  | { readonly type: 'LastOwner' }
  | { readonly type: 'RoleUnknown'; readonly roleId: string }
  /** Among the roles of a user. */
  | { readonly type: 'RoleNotDefined'; readonly roleId: string }
  | { readonly type: 'RoleBuiltIn'; readonly roleId: string }
  /** Another role has the name, but for its case and the spaces around it. */
  | { readonly type: 'RoleNameTaken'; readonly roleId: string }
  | { readonly type: 'RoleInUse'; readonly roleId: string }
  | { readonly type: 'TooManyRoles'; readonly max: number }
  | Stale;

export interface User {
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly roleIds: readonly string[];
  readonly status: 'invited' | 'active' | 'disabled';
  /** Whether the user has ever been active; an invitation that waits outlasts being disabled. */
  readonly hasAccepted: boolean;
  /** Counts the changes, from 1. */
  readonly rowVersion: number;
  readonly createdAt: string;
}

export interface Role {
  readonly roleId: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly rowVersion: number;
}

export interface State {
  readonly users: ReadonlyMap<string, User>;
  /** Without the built-in ones. */
  readonly roles: ReadonlyMap<string, Role>;
}
export const initial: State = { users: new Map(), roles: new Map() };

export function evolve(state: State, event: Event): State {
  switch (event.type) {
    case 'UserInvited': {
      const { type: _, at: createdAt, ...user } = event;
      return withUser(state, {
        ...user,
        status: 'invited',
        hasAccepted: false,
        rowVersion: 1,
        createdAt,
      });
    }
    case 'UserChanged':
      return changed(state, event.userId, { name: event.name, roleIds: event.roleIds });
    case 'UserActivated':
      return changed(state, event.userId, { status: 'active', hasAccepted: true });
    case 'UserDisabled':
      return changed(state, event.userId, { status: 'disabled' });
    case 'UserReinvited':
      return changed(state, event.userId, { status: 'invited' });
    case 'PasswordResetRequested':
      return state;
    case 'RoleDefined': {
      const { type: _, at: __, ...role } = event;
      const rowVersion = (state.roles.get(role.roleId)?.rowVersion ?? 0) + 1;
      const roles = new Map(state.roles).set(role.roleId, { ...role, rowVersion });
      return { ...state, roles };
    }
    case 'RoleRemoved': {
      const roles = new Map(state.roles);
      roles.delete(event.roleId);
      return { ...state, roles };
    }
    default:
      return never(event);
  }
}

function withUser(state: State, user: User): State {
  return { ...state, users: new Map(state.users).set(user.userId, user) };
}

function changed(state: State, id: string, change: Partial<User>): State {
  const user = state.users.get(id);
  if (user === undefined) throw new Error(`no user ${id}`);
  return withUser(state, { ...user, ...change, rowVersion: user.rowVersion + 1 });
}

/** The user of an email, however it is written. */
export function userOf(state: State, email: string): User | undefined {
  const identity = emailIdentity(email);
  return [...state.users.values()].find((user) => emailIdentity(user.email) === identity);
}

/** Once there is one, there always is: see `LastOwner`. */
export function hasActiveOwner({ users }: State): boolean {
  return ownersIn(users.values(), 'active') > 0;
}

function ownersIn(users: Iterable<User>, status: User['status']): number {
  return [...users].filter((user) => user.roleIds.includes(OWNER) && user.status === status).length;
}

type Decision = Either<Rejection, readonly Event[]>;

export function decide(state: State, command: Command): Decision {
  switch (command.type) {
    case 'InviteUser':
      return invite(state, command);
    case 'ChangeUser':
      return changeUser(state, command);
    case 'ActivateUser':
      return activate(state, command);
    case 'RequestPasswordReset': {
      const { userId: id, at: time } = command;
      if (!state.users.has(id)) return left({ type: 'UserUnknown' });
      return right([{ type: 'PasswordResetRequested', userId: id, at: time }]);
    }
    case 'DefineRole':
      return defineRole(state, command);
    case 'RemoveRole':
      return removeRole(state, command);
    default:
      return never(command);
  }
}

/** Checked in this order: UserExists, RoleNotDefined, TooManyUsers. A repetition changes nothing. */
function invite(state: State, command: CommandOf<'InviteUser'>): Decision {
  const { tenantId: _, type: __, roleIds: given, ...user } = command;
  const known = userOf(state, user.email);
  if (known !== undefined) {
    return known.userId === user.userId
      ? right([])
      : left({ type: 'UserExists', userId: known.userId });
  }
  const unknown = unknownRole(state, given);
  if (unknown !== undefined) return left(unknown);
  if (state.users.size >= MAX_USERS) return left({ type: 'TooManyUsers', max: MAX_USERS });
  return right([{ type: 'UserInvited', ...user, roleIds: [...new Set(given)] }]);
}

/** All of it or nothing. Checked in this order: UserUnknown, StaleRowVersion, RoleNotDefined, LastOwner. */
function changeUser(state: State, command: CommandOf<'ChangeUser'>): Decision {
  const { userId: id, name: called, roleIds: given, status: wanted, at: time } = command;
  const user = found(state, command);
  if ('type' in user) return left(user);
  const unknown = unknownRole(state, given);
  if (unknown !== undefined) return left(unknown);
  const after = { name: called, roleIds: [...new Set(given)] };
  const status = wanted === 'active' && !user.hasAccepted ? 'invited' : (wanted ?? user.status);
  if (leavesNoOwner(state, { ...user, ...after, status })) return left({ type: 'LastOwner' });
  const before = { name: user.name, roleIds: user.roleIds };
  const isSame = canonicalJson(before) === canonicalJson(after);
  return right([
    ...(isSame ? [] : [{ type: 'UserChanged', userId: id, ...after, at: time } as const]),
    ...(status === user.status ? [] : [{ type: BECOMES[status], userId: id, at: time }]),
  ]);
}

const BECOMES = {
  active: 'UserActivated',
  disabled: 'UserDisabled',
  invited: 'UserReinvited',
} as const satisfies Record<User['status'], Event['type']>;

/** Of an invited user. Checked in this order: UserUnknown, StaleRowVersion. */
function activate(state: State, command: CommandOf<'ActivateUser'>): Decision {
  const { userId: id, at: time } = command;
  const user = found(state, command);
  if ('type' in user) return left(user);
  const isInvited = user.status === 'invited';
  return right(isInvited ? [{ type: 'UserActivated', userId: id, at: time }] : []);
}

function found(
  state: State,
  { userId: id, rowVersion }: { readonly userId: string } & Seen,
): User | Rejection {
  const user = state.users.get(id);
  if (user === undefined) return { type: 'UserUnknown' };
  return staleness(rowVersion, user.rowVersion) ?? user;
}

function unknownRole({ roles }: State, given: readonly string[]): Rejection | undefined {
  const unknown = given.find((id) => !isBuiltIn(id) && !roles.has(id));
  return unknown === undefined ? undefined : { type: 'RoleNotDefined', roleId: unknown };
}

export function isBuiltIn(id: string): id is BuiltInRole {
  return (BUILT_IN_ROLES as readonly string[]).includes(id);
}

/** An owner who has not signed in yet does not stand in for one who has. */
function leavesNoOwner(state: State, after: User): boolean {
  const { users } = withUser(state, after);
  const takesLast = (status: User['status']) =>
    ownersIn(state.users.values(), status) > 0 && ownersIn(users.values(), status) === 0;
  if (ownersIn(users.values(), 'active') > 0) return false;
  if (takesLast('active')) return true;
  return takesLast('invited');
}

/**
 * Checked in this order: RoleBuiltIn, RoleUnknown, StaleRowVersion, RoleNameTaken, TooManyRoles. Two roles of
 * an earlier version that have one name keep it until it is changed.
 */
function defineRole(state: State, command: CommandOf<'DefineRole'>): Decision {
  const { roleId: id, name: called, scopes: given, rowVersion, at: time } = command;
  if (isBuiltIn(id)) return left({ type: 'RoleBuiltIn', roleId: id });
  const role = state.roles.get(id);
  if (role === undefined && rowVersion !== undefined)
    return left({ type: 'RoleUnknown', roleId: id });
  const stale = staleness(rowVersion, role?.rowVersion ?? 0);
  if (stale !== undefined) return left(stale);
  const isKept = role !== undefined && isCalled(role, called);
  const takenBy = isKept ? undefined : roleNamed(state, called);
  if (takenBy !== undefined) return left({ type: 'RoleNameTaken', roleId: takenBy });
  if (role === undefined && state.roles.size >= MAX_ROLES) {
    return left({ type: 'TooManyRoles', max: MAX_ROLES });
  }
  const after = { name: called, scopes: [...new Set(given)] };
  const before = role && { name: role.name, scopes: role.scopes };
  const isSame = before !== undefined && canonicalJson(before) === canonicalJson(after);
  return right(isSame ? [] : [{ type: 'RoleDefined', roleId: id, ...after, at: time }]);
}

/** Built-in roles are called as their ids are. */
function roleNamed({ roles }: State, called: string): string | undefined {
  const builtIn = BUILT_IN_ROLES.find((id) => isSameName(id, called.trim()));
  return builtIn ?? [...roles.values()].find((each) => isCalled(each, called))?.roleId;
}

function isCalled(role: Role, called: string): boolean {
  return isSameName(role.name.trim(), called.trim());
}

/** Checked in this order: RoleBuiltIn, RoleUnknown, RoleInUse. */
function removeRole(state: State, { roleId: id, at: time }: CommandOf<'RemoveRole'>): Decision {
  if (isBuiltIn(id)) return left({ type: 'RoleBuiltIn', roleId: id });
  if (!state.roles.has(id)) return left({ type: 'RoleUnknown', roleId: id });
  const isUsed = [...state.users.values()].some((user) => user.roleIds.includes(id));
  if (isUsed) return left({ type: 'RoleInUse', roleId: id });
  return right([{ type: 'RoleRemoved', roleId: id, at: time }]);
}

export function streamOf({ tenantId }: { tenantId: TenantId }): StreamName {
  return streamName('users', tenantId, 'all');
}
