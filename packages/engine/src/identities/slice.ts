/** Which customer an email belongs to. */

import { deriveKey } from '../derive-key.ts';
import { type Base, type PartsOf, slice } from '../slice.ts';
import { Identities } from './identities.ts';

export type IdentityParts = PartsOf<typeof IDENTITIES>;

export const IDENTITIES = slice({
  make: ({ commands, stores }: Base) => ({
    identities: new Identities(commands, deriveKey(stores.masterKey, 'customer emails')),
  }),
});
