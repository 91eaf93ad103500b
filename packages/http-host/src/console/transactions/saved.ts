/** Saved searches: a search of the list under a name, for the user who saved it. */
import { SavedSearches } from '@counterfoil/core';
import { name } from '@counterfoil/engine/input';
import { z } from 'zod';
import { text } from '../../api/wire.ts';
import { consoleForm } from '../slice.ts';
import { list, PATH, SAVE_FORM, SAVED_PATH, SCOPE } from './list.ts';
import { LIST_FIELDS, ListQuery, savedAddress, searchesOf } from './search-filters.ts';

const save = consoleForm({
  name: SAVE_FORM,
  path: SAVED_PATH,
  scope: SCOPE,
  body: z.object({ ...LIST_FIELDS, name: name(SavedSearches.MAX_NAME_LENGTH) }),
  page: list,
  async act(visit, { body: { name, ...shown } }) {
    const query = ListQuery.parse(shown);
    const search = searchesOf(query).searchOf(query.as);
    const saved = await visit.ledger.savedSearches.create({ name, search });
    return {
      to: savedAddress(visit.href(PATH), saved.search),
      notice: `The search is saved as ${saved.name}.`,
    };
  },
});

const remove = consoleForm({
  name: 'remove-saved-search',
  path: `${SAVED_PATH}/{id}/remove`,
  scope: SCOPE,
  params: z.object({ id: text(64) }),
  page: list,
  async act(visit, { params: { id } }) {
    const removed = await visit.ledger.savedSearches.remove(id);
    return { to: visit.href(PATH), notice: `The saved search ${removed.name} is removed.` };
  },
});

export const SAVED_FORMS = [save, remove];
