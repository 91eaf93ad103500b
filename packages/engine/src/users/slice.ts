/** Users and roles, and the sign-in of users. */
import { type Base, slice, tenantPart } from '../slice.ts';
import { openOwn } from '../storage/own-tables.ts';
import { Credentials } from './credentials.ts';
import { SignIns } from './sign-in.ts';
import { TenantUsers, USER_INPUTS } from './tenant-users.ts';
import { Users } from './users.ts';

export const USERS = slice({
  scopes: {
    'users:read': 'Read users and roles',
    'users:write': 'Invite, change and disable users, and define roles',
  },
  make(base: Base) {
    const users = new Users(base.commands, () => base.scopes);
    const userCredentials = openOwn(base, 'users', (place) => new Credentials(place));
    const { masterKey } = base.stores;
    const signIns = new SignIns({ users, credentials: userCredentials, masterKey });
    return { users, signIns, userCredentials };
  },
  tenant: (parts) => ({
    users: tenantPart(USER_INPUTS, (acting) => new TenantUsers(parts, acting)),
  }),
});
