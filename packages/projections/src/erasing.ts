/** How the states of a person are found when the person is erased. */
import type { Subject } from '@counterfoil/core';
import type { Anchor, Document, ReadModel, Walked } from './read-model-store.ts';
import { partitionOf } from './views/search-record.ts';

/** States that are erased in one commit. */
const PAGE = 500;

/** The keys of the states with data of a person, a page at a time. */
export type FindStates = (model: ReadModel, subject: Subject) => AsyncIterable<readonly string[]>;

/** How a projection erases a person. */
export interface Erasing<State> {
  /** Nothing but `erase` changes the model meanwhile. */
  readonly find: FindStates;
  /**
   * The state without personal data. It must equal the state that events with erased personal fields
   * give, so that a rebuild gives the same.
   */
  erase(state: State): State;
}

interface InWalked {
  readonly collection: string;
  /** The key of the state that a document was derived from. */
  readonly stateKeyOf: (document: Walked) => string;
}

/** Through a walked collection whose documents have the integer field `customerId`. */
export function walkedByCustomer({ collection, stateKeyOf }: InWalked): FindStates {
  return async function* (model, { tenantId, sandbox, customerId }) {
    const partition = partitionOf(tenantId, sandbox);
    const where = [{ field: 'customerId', anyOf: [customerId] }];
    let after: Anchor | undefined;
    for (;;) {
      const from = after === undefined ? {} : { after };
      const page = await model.walk({ collection, partition, where, ...from, limit: PAGE });
      if (page.length > 0) yield [...new Set(page.map(stateKeyOf))];
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return;
      after = { sort: last.sort, key: last.key };
    }
  };
}

interface InKeyed {
  readonly collection: string;
  /** What the keys of a person's documents begin with. */
  readonly prefixOf: (subject: Subject) => string;
  /** The key of the state that a document was derived from. */
  readonly stateKeyOf: (document: Document, subject: Subject) => string;
}

/** Through a keyed collection whose keys begin with the person. */
export function listedByCustomer({ collection, prefixOf, stateKeyOf }: InKeyed): FindStates {
  return async function* (model, subject) {
    const prefix = prefixOf(subject);
    let after: string | undefined;
    for (;;) {
      const from = after === undefined ? {} : { after };
      const page = await model.list(collection, { prefix, ...from, limit: PAGE });
      const keys = page.map((document) => stateKeyOf(document, subject));
      if (keys.length > 0) yield [...new Set(keys)];
      if (page.length < PAGE) return;
      after = page.at(-1)?.key;
    }
  };
}
