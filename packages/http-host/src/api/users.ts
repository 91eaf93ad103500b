/** Admin: users and roles. */
import type { UserView } from '@counterfoil/engine';
import { z } from 'zod';
import type { Endpoint } from '../http/endpoint.ts';
import { At } from './answer-fields.ts';
import { Collection, ignored, RowVersion, sameId } from './collections.ts';
import { checkScopes, type KeyApiServices } from './keys.ts';
import { apiSlice, rows } from './slice.ts';
import { Email, NothingInput, pattern, text, Uuid } from './wire.ts';

const MAX_ROLES = 20;
const MAX_SCOPES = 200;

const Name = text(200).min(1).meta({ description: 'What it is called' });
const RoleIds = z.array(text(64)).max(MAX_ROLES).meta({
  description: 'Roles: built-in ones by their names, such as `agent`, and those of the tenant',
});
const Scopes = z
  .array(pattern(/^[a-z-]+:[a-z-]+$/, { max: 100, detail: 'must be a scope' }))
  .max(MAX_SCOPES)
  .meta({ description: 'What its users may do' });
const Status = z.enum(['invited', 'active', 'disabled']).meta({
  description: 'Only active users may act',
});

const userFields = {
  id: z.string().meta({ format: 'uuid', description: 'The id of the item' }),
  email: Email,
  name: Name,
  roleIds: RoleIds,
  status: Status,
  createdAt: At,
  rowVersion: RowVersion,
};
const User = z.object(userFields).meta({ id: 'User' });
const UserWithToken = z
  .object({
    ...userFields,
    token: z.string().nullable().meta({
      description:
        'Sets the password within 24 hours, once: shown in this answer only. null where a mail brings it to the user',
    }),
  })
  .meta({ id: 'UserWithToken' });

const UserInput = z
  .object({ email: Email, name: Name, roleIds: RoleIds })
  .meta({ id: 'UserInput' });
const UserChange = z
  .object({
    name: Name.optional(),
    roleIds: RoleIds.optional(),
    status: z.enum(['active', 'disabled']).optional().meta({
      description:
        '`disabled` ends all sessions; `active` lets a disabled user in again, or makes one who never accepted the invitation `invited` again, who is mailed another one where the host sends mails',
    }),
    rowVersion: RowVersion.optional(),
  })
  .meta({ id: 'UserChange' });

const roleFields = { name: Name, scopes: Scopes };
const Role = z
  .object({
    id: z.string().meta({ description: 'The id of the item' }),
    ...roleFields,
    builtIn: z
      .boolean()
      .meta({ description: 'Whether it is there for every tenant, unchangeable' }),
    rowVersion: RowVersion,
  })
  .meta({ id: 'Role' });
const RoleInput = z.object(roleFields).meta({ id: 'RoleInput' });
const RoleReplacement = z
  .object({ ...roleFields, rowVersion: RowVersion.optional(), id: sameId, ...ignored('builtIn') })
  .meta({ id: 'RoleReplacement' });

const SCOPES = { read: 'users:read', write: 'users:write' };

function userEndpoints(services: KeyApiServices): Endpoint[] {
  const users = new Collection(
    services,
    {
      path: '/api/admin/users',
      one: 'User',
      many: 'Users',
      words: { one: 'a user', many: 'users' },
      scopes: SCOPES,
      item: User,
      made: UserWithToken,
      id: Uuid,
    },
    (ledger, id: string) => ledger.users.get(id),
  );
  return [
    users.list(
      'All users, disabled ones among them, in the order of their ids.',
      (ledger, listing) => ledger.users.list(listing),
    ),
    users.create({
      action: 'users.invite',
      description:
        'An invited user may not act before a password is set with `token`. Where the host sends mails, it is mailed to the user; else it is in this answer only.',
      body: UserInput,
      rejections: ['duplicate', 'reference_unknown', 'limit_reached'],
      make: (ledger, body) => ledger.users.invite(body),
    }),
    users.read('A user by its id.'),
    users.amend({
      action: 'users.change',
      description:
        'A JSON merge patch (RFC 7396) of name, roles and status. It is in force at once, on every host.',
      body: UserChange,
      rejections: ['reference_unknown', 'last_owner'],
      change: (ledger, id: string, { rowVersion: _, ...change }, rowVersion): Promise<UserView> =>
        ledger.users.change(id, { ...change, rowVersion }),
    }),
    users.act('reset', 'Reset the password of a user', {
      action: 'users.reset',
      description:
        'Makes a token that sets the password within 24 hours, once; those before are void. Where the host sends mails, it is mailed to the user. The password of before holds until then.',
      body: NothingInput,
      rejections: [],
      make: (ledger, id: string) => ledger.users.reset(id),
    }),
    ...roleEndpoints(services),
  ];
}

function roleEndpoints(services: KeyApiServices): Endpoint[] {
  const roles = new Collection(
    services,
    {
      path: '/api/admin/roles',
      one: 'Role',
      many: 'Roles',
      words: { one: 'a role', many: 'roles' },
      scopes: SCOPES,
      item: Role,
      id: text(64),
    },
    (ledger, id: string) => ledger.users.getRole(id),
  );
  return [
    roles.list('Built-in roles and those of the tenant.', (ledger, listing) =>
      ledger.users.listRoles(listing),
    ),
    roles.create({
      action: 'users.createRole',
      description:
        'A role is a set of scopes. Its name is that of no other role, whatever its case.',
      body: RoleInput,
      rejections: ['duplicate', 'limit_reached'],
      make: async (ledger, body) => {
        checkScopes(body.scopes, services.permissions);
        return ledger.users.createRole(body);
      },
    }),
    roles.read('A role by its id.'),
    roles.replace({
      action: 'users.replaceRole',
      description: 'What its users may do changes at once.',
      body: RoleReplacement,
      rejections: ['duplicate', 'role_built_in'],
      change: async (ledger, id: string, { name, scopes }, rowVersion) => {
        checkScopes(scopes, services.permissions);
        return ledger.users.replaceRole(id, { name, scopes, rowVersion });
      },
    }),
    roles.remove(
      {
        action: 'users.removeRole',
        summary: 'Remove a role',
        description: 'One that no user has.',
      },
      (ledger, id: string) => ledger.users.removeRole(id),
      ['role_built_in', 'role_in_use'],
    ),
  ];
}

const unknownRole = { pointer: '/roleIds', detail: 'There is no such role' };

const REFUSALS = rows({
  UserUnknown: { code: 'not_found' },
  UserExists: { code: 'duplicate', text: 'A user has this email' },
  TooManyUsers: { code: 'limit_reached', text: ({ max }) => `A tenant has at most ${max} users` },
  LastOwner: { code: 'last_owner' },
  RoleUnknown: { code: 'not_found' },
  RoleNotDefined: { code: 'reference_unknown', errors: () => [unknownRole] },
  RoleBuiltIn: { code: 'role_built_in' },
  RoleNameTaken: {
    code: 'duplicate',
    text: 'Another role has this name',
    errors: () => [{ pointer: '/name', detail: 'Another role has this name' }],
  },
  RoleInUse: { code: 'role_in_use' },
  TooManyRoles: { code: 'limit_reached', text: ({ max }) => `A tenant has at most ${max} roles` },
  SignInRefused: { code: 'invalid_request', text: 'The email, the password or the code is wrong' },
  SecondFactorRequired: { code: 'invalid_request', text: 'A code is required' },
  SignInDelayed: {
    code: 'rate_limited',
    text: ({ retryAt }) => `Too many failures in a row: try again at ${retryAt}`,
  },
  LinkUnknown: { code: 'not_found', text: 'The link was used, has expired or was replaced' },
  PasswordTooWeak: {
    code: 'invalid_request',
    text: ({ min, max }) => `A password has ${min} to ${max} characters`,
  },
});

export const USERS = apiSlice(userEndpoints, REFUSALS);
