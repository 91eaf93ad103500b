/** Settings: the roles of the tenant. */
import { z } from 'zod';
import { checkScopes } from '../../api/keys.ts';
import { text } from '../../api/wire.ts';
import { Before, changedOnce, chosenIn, chosenText, compared, type Texts } from '../compared.ts';
import { Chosen } from '../fields.ts';
import { type Again, consoleForm, consolePage, type Visit } from '../slice.ts';
import { PATHS, tabsOf } from './tabs.ts';

const READ = 'users:read';
const WRITE = 'users:write';
const NEW = '/settings/new-role';
const Id = z.object({ id: text(64) });
const roleFields = { name: text(200).min(1), scopes: Chosen };

/** All scopes, with what each permits. */
export function permissionsOf({ services }: Visit) {
  return [...services.permissions].map(([scope, words]) => ({ scope, words }));
}

const roles = consolePage({
  path: PATHS.roles,
  title: 'Roles',
  scope: READ,
  template: '/settings/roles',
  async load(visit) {
    const { items } = await visit.ledger.users.listRoles();
    return {
      tabs: tabsOf(visit, PATHS.roles),
      roles: items.map((role) => ({ ...role, href: visit.href(`${PATHS.roles}/${role.id}`) })),
      newHref: visit.may(WRITE) ? visit.href(NEW) : undefined,
    };
  },
});

const newRole = consolePage({
  path: NEW,
  title: 'New role',
  scope: WRITE,
  template: '/settings/role',
  load: async (visit) => ({
    tabs: tabsOf(visit, PATHS.roles),
    back: visit.href(PATHS.roles),
    role: undefined,
    permissions: permissionsOf(visit),
    mayChange: true,
    action: visit.href(NEW),
  }),
});

const create = consoleForm({
  name: 'create-role',
  path: NEW,
  scope: WRITE,
  body: z.object(roleFields),
  page: newRole,
  async act(visit, { body }) {
    checkScopes(body.scopes, visit.services.permissions);
    await visit.ledger.users.createRole(body);
    return { to: visit.href(PATHS.roles), notice: `The role ${body.name} is there.` };
  },
});

const COMPARED = [
  { name: 'name', label: 'Name' },
  { name: 'scopes', label: 'Permissions', shown: (text: string) => chosenIn(text).join(', ') },
];

function textsOf({ name, scopes }: { readonly name: string; readonly scopes: readonly string[] }) {
  return { name, scopes: chosenText(scopes) };
}

function enteredOf({ name, scopes }: Again['values']): Texts {
  return { name: String(name ?? ''), scopes: chosenText(scopes) };
}

const REPLACE = 'replace-role';

const role = consolePage({
  path: `${PATHS.roles}/{id}`,
  title: 'Role',
  scope: READ,
  params: Id,
  template: '/settings/role',
  async load(visit, { params: { id }, again }) {
    const found = await visit.ledger.users.getRole(id);
    const { values, conflicts, before } = compared({
      fields: COMPARED,
      now: textsOf(found),
      again: again?.name === REPLACE ? again : undefined,
      enteredOf,
    });
    return {
      tabs: tabsOf(visit, PATHS.roles),
      back: visit.href(PATHS.roles),
      title: found.name,
      role: found,
      given: { name: values['name'], scopes: chosenIn(values['scopes'] ?? '') },
      conflicts,
      hidden: { before },
      permissions: permissionsOf(visit),
      mayChange: visit.may(WRITE) && !found.builtIn,
      action: visit.href(`${PATHS.roles}/${id}`),
      removal: visit.href(`${PATHS.roles}/${id}/remove`),
    };
  },
});

const replace = consoleForm({
  name: REPLACE,
  path: `${PATHS.roles}/{id}`,
  scope: WRITE,
  params: Id,
  body: z.object({ ...roleFields, before: Before }),
  page: role,
  async act(visit, { params: { id }, body: { before, ...given } }) {
    checkScopes(given.scopes, visit.services.permissions);
    const found = await visit.ledger.users.getRole(id);
    return changedOnce(visit, {
      fields: COMPARED,
      before,
      entered: textsOf(given),
      now: textsOf(found),
      what: 'role',
      to: visit.href(PATHS.roles),
      notice: `The role ${given.name} is changed.`,
      act: () => visit.ledger.users.replaceRole(id, { ...given, rowVersion: found.rowVersion }),
    });
  },
});

const remove = consoleForm({
  name: 'remove-role',
  path: `${PATHS.roles}/{id}/remove`,
  scope: WRITE,
  params: Id,
  page: role,
  async act(visit, { params: { id } }) {
    const { name } = await visit.ledger.users.removeRole(id);
    return { to: visit.href(PATHS.roles), notice: `The role ${name} is gone.` };
  },
});

export const ROLE_PAGES = [roles, newRole, role];
export const ROLE_FORMS = [create, replace, remove];
