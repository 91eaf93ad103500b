/** Users and roles, and the sign-in of users. */
import type { ActivityParts } from '../activity/index.ts';
import { type Base, type PartsOf, slice, tenantPart } from '../slice.ts';
import { openOwn } from '../storage/own-tables.ts';
import { Credentials } from './credentials.ts';
import { SignIns } from './sign-in.ts';
import { TenantUsers, USER_CALLS, USER_INPUTS } from './tenant-users.ts';
import { Users } from './users.ts';

export type UserParts = PartsOf<typeof USERS>;

export const USERS = slice({
  scopes: {
    'users:read': 'Read users and roles',
    'users:write': 'Invite, change and disable users, and define roles',
  },
  make(base: Base & ActivityParts) {
    const users = new Users(base.commands, () => base.scopes);
    const userCredentials = openOwn(base, 'users', (place) => new Credentials(place));
    const { masterKey } = base.stores;
    const { activity } = base;
    const signIns = new SignIns({ users, credentials: userCredentials, masterKey, activity });
    return { users, signIns, userCredentials };
  },
  tenant: (parts) => ({
    users: tenantPart(USER_INPUTS, (acting) => new TenantUsers(parts, acting), USER_CALLS),
  }),
});
