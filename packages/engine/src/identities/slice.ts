/** Which customer an email belongs to, and what names a session. */

import { deriveKey } from '../derive-key.ts';
import { type Base, type PartsOf, slice } from '../slice.ts';
import { Identities } from './identities.ts';
import { SessionKeys } from './session-keys.ts';

export type IdentityParts = PartsOf<typeof IDENTITIES>;

export const IDENTITIES = slice({
  make: ({ commands, stores }: Base) => ({
    identities: new Identities(commands, deriveKey(stores.masterKey, 'customer emails'), {
      othersWrite: stores.hostDatabase !== undefined,
    }),
    sessionKeys: new SessionKeys(deriveKey(stores.masterKey, 'sessions of leads')),
  }),
});
