/** Settings: the users of the tenant. */
import type { UserView } from '@counterfoil/engine';
import { z } from 'zod';
import { Email, text, Uuid } from '../../api/wire.ts';
import { Before, changedOnce, chosenIn, chosenText, compared, type Texts } from '../compared.ts';
import { Chosen, Ticked } from '../fields.ts';
import { type Again, consoleForm, consolePage, type Outcome, type Visit } from '../slice.ts';
import { PATHS, tabsOf } from './tabs.ts';

const READ = 'users:read';
const WRITE = 'users:write';
const Name = text(200).min(1);
const Id = z.object({ id: Uuid });
const Listed = z.object({ after: text(64).optional() });

async function rolesOf(visit: Visit) {
  return (await visit.ledger.users.listRoles()).items.map(({ id, name }) => ({ id, name }));
}

const users = consolePage({
  path: PATHS.users,
  title: 'Users',
  scope: READ,
  query: Listed,
  isList: true,
  template: '/settings/users',
  async load(visit, { query }) {
    const [{ items, next }, roles] = await Promise.all([
      visit.ledger.users.list({ ...(query?.after !== undefined && { after: query.after }) }),
      rolesOf(visit),
    ]);
    const nameOf = new Map(roles.map(({ id, name }) => [id, name]));
    return {
      tabs: tabsOf(visit, PATHS.users),
      users: items.map((user) => ({
        ...user,
        roles: user.roleIds.map((id) => nameOf.get(id) ?? id).join(', '),
        href: visit.href(`${PATHS.users}/${user.id}`),
      })),
      next: next && `${visit.href(PATHS.users)}?${new URLSearchParams({ after: next })}`,
      inviteHref: visit.may(WRITE) ? visit.href('/settings/invite') : undefined,
    };
  },
});

const invitation = consolePage({
  path: '/settings/invite',
  title: 'Invite a user',
  scope: WRITE,
  template: '/settings/invite',
  load: async (visit) => ({
    tabs: tabsOf(visit, PATHS.users),
    roles: await rolesOf(visit),
    action: visit.href('/settings/invite'),
  }),
});

const invite = consoleForm({
  name: 'invite',
  path: '/settings/invite',
  scope: WRITE,
  body: z.object({ email: Email, name: Name, roleIds: Chosen }),
  page: invitation,
  async act(visit, { body }) {
    const { token } = await visit.ledger.users.invite(body);
    return withLink(visit, { token, email: body.email, what: 'The invitation' });
  },
});

interface Link {
  readonly token: string | null;
  readonly email: string;
  readonly what: string;
}

/** Without a mail server the owner passes the link on. */
function withLink(visit: Visit, { token, email, what }: Link): Outcome {
  const back = visit.href(PATHS.users);
  if (token === null) return { to: back, notice: `${what} was mailed to ${email}.` };
  const { services, context } = visit;
  const base = services.publicUrl ?? `${new URL(context.origin ?? '').origin}`;
  const link = `${base}/console/welcome?${new URLSearchParams({ token })}`;
  return { template: '/settings/link', title: what, data: { email, link, back } };
}

type Role = Awaited<ReturnType<typeof rolesOf>>[number];

function comparedFields(roles: readonly Role[]) {
  const nameOf = new Map(roles.map(({ id, name }) => [id, name]));
  const shown = (ids: string) =>
    chosenIn(ids)
      .map((id) => nameOf.get(id) ?? id)
      .join(', ');
  return [
    { name: 'name', label: 'Name' },
    { name: 'roleIds', label: 'Roles', shown },
  ];
}

function textsOf({ name, roleIds }: Pick<UserView, 'name' | 'roleIds'>): Texts {
  return { name, roleIds: chosenText(roleIds) };
}

function enteredOf({ name, roleIds }: Again['values']): Texts {
  return { name: String(name ?? ''), roleIds: chosenText(roleIds) };
}

const CHANGE = 'change-user';

const user = consolePage({
  path: `${PATHS.users}/{id}`,
  title: 'User',
  scope: READ,
  params: Id,
  template: '/settings/user',
  async load(visit, { params: { id }, again }) {
    const found: UserView = await visit.ledger.users.get(id);
    const path = `${PATHS.users}/${id}`;
    const roles = await rolesOf(visit);
    const { values, conflicts, before } = compared({
      fields: comparedFields(roles),
      now: textsOf(found),
      again: again?.name === CHANGE ? again : undefined,
      enteredOf,
    });
    return {
      tabs: tabsOf(visit, PATHS.users),
      back: visit.href(PATHS.users),
      title: found.name,
      user: found,
      given: { name: values['name'], roleIds: chosenIn(values['roleIds'] ?? '') },
      conflicts,
      hidden: { before },
      roles,
      mayChange: visit.may(WRITE),
      actions: {
        change: visit.href(path),
        status: visit.href(`${path}/status`),
        reset: visit.href(`${path}/reset`),
      },
    };
  },
});

const change = consoleForm({
  name: CHANGE,
  path: `${PATHS.users}/{id}`,
  scope: WRITE,
  params: Id,
  body: z.object({
    name: Name,
    roleIds: Chosen,
    before: Before,
    /** Of the step that says what it means to give up one's own rights. */
    confirmed: Ticked,
  }),
  page: user,
  async act(visit, { params: { id }, body: { before, confirmed, ...given } }) {
    const found = await visit.ledger.users.get(id);
    const losesOwner = id === visit.user.id && isOwner(found) && !isOwner(given);
    return changedOnce(visit, {
      fields: comparedFields([]),
      before,
      entered: textsOf(given),
      now: textsOf(found),
      what: 'user',
      to: visit.href(`${PATHS.users}/${id}`),
      ask: () => (losesOwner && !confirmed ? stepDown(visit, { id, before, ...given }) : undefined),
      act(changes) {
        const changed = new Set(changes.map(({ name }) => name));
        return visit.ledger.users.change(id, {
          ...(changed.has('name') && { name: given.name }),
          ...(changed.has('roleIds') && { roleIds: given.roleIds }),
          rowVersion: found.rowVersion,
        });
      },
    });
  },
});

function isOwner({ roleIds }: Pick<UserView, 'roleIds'>): boolean {
  return roleIds.includes('owner');
}

interface Resigning extends Pick<UserView, 'id' | 'name' | 'roleIds'> {
  readonly before: Texts;
}

/** A step before an owner takes that role from themselves. */
function stepDown(visit: Visit, { id, name, roleIds, before }: Resigning): Outcome {
  const back = visit.href(`${PATHS.users}/${id}`);
  const data = {
    trail: [{ title: 'Users', href: visit.href(PATHS.users) }],
    facts: [{ label: 'User', value: `${name} (you)` }],
    consequences: [
      'You are no owner of the company any more, at once.',
      'You keep only what your other roles allow. To give the role back takes another owner.',
    ],
    hidden: { name, roleIds, before: JSON.stringify(before), confirmed: 'yes' },
    label: 'Give up the owner role',
    isDanger: true,
    action: back,
    back,
  };
  return { template: '/templates/review', title: 'Give up the owner role', data };
}

const changeStatus = consoleForm({
  name: 'change-status',
  path: `${PATHS.users}/{id}/status`,
  scope: WRITE,
  params: Id,
  body: z.object({ status: z.enum(['active', 'disabled']) }),
  page: user,
  async act(visit, { params: { id }, body: { status } }) {
    const changed = await visit.ledger.users.change(id, { status });
    return { to: visit.href(`${PATHS.users}/${id}`), notice: NOTICES[changed.status] };
  },
});

const NOTICES: Readonly<Record<UserView['status'], string>> = {
  active: 'The user may sign in again.',
  disabled: 'The user is disabled.',
  invited: 'The user is invited again.',
};

const reset = consoleForm({
  name: 'reset-user',
  path: `${PATHS.users}/{id}/reset`,
  scope: WRITE,
  params: Id,
  page: user,
  async act(visit, { params: { id } }) {
    const { token, email } = await visit.ledger.users.reset(id);
    return withLink(visit, { token, email, what: 'The link for a new password' });
  },
});

export const USER_PAGES = [users, invitation, user];
export const USER_FORMS = [invite, change, changeStatus, reset];
