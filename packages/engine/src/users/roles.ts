/** The built-in roles, and what a user may do by all roles together. */
import { Users } from '@counterfoil/core';

/** A scope, or all of a resource or of an action: `transactions:*`, `*:read`, `*:*`. */
const BUILT_IN: Readonly<Record<Users.BuiltInRole, { name: string; scopes: readonly string[] }>> = {
  owner: { name: 'Owner', scopes: ['*:*'] },
  agent: {
    name: 'Agent',
    scopes: ['transactions:*', 'customers:*', 'subscriptions:*', 'payments:read'],
  },
  disputes: {
    name: 'Disputes',
    scopes: [
      'transactions:*',
      'customers:*',
      'subscriptions:*',
      'payments:read',
      'disputes:*',
      'mitigation:*',
      'blacklist:*',
    ],
  },
  finance: { name: 'Finance', scopes: ['ledger:*', 'statements:*', 'settlements:*', 'exports:*'] },
  developer: {
    name: 'Developer',
    scopes: ['keys:*', 'webhooks:*', 'senderdomains:*', 'activity:read'],
  },
  viewer: { name: 'Viewer', scopes: ['*:read'] },
};

export interface RoleView {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  /** Built in: it cannot be changed. */
  readonly builtIn: boolean;
  readonly rowVersion: number;
}

/** `all` are the scopes that there are. */
export function rolesIn({ roles }: Users.State, all: readonly string[]): readonly RoleView[] {
  const builtIn = Users.BUILT_IN_ROLES.map((id) => {
    const { name, scopes } = BUILT_IN[id];
    const matching = all.filter((scope) => scopes.some((each) => matches(each, scope)));
    return { id, name, scopes: matching, builtIn: true, rowVersion: 1 };
  });
  const own = [...roles.values()].map(({ roleId: id, ...role }) => ({
    id,
    ...role,
    builtIn: false,
  }));
  return [...builtIn, ...own];
}

function matches(pattern: string, scope: string): boolean {
  const [resource, action] = pattern.split(':');
  const [ofResource, ofAction] = scope.split(':');
  return (resource === '*' || resource === ofResource) && (action === '*' || action === ofAction);
}

/** What a user may do; nothing unless active. */
export function scopesOf(
  { status, roleIds }: Users.User,
  roles: readonly RoleView[],
): ReadonlySet<string> {
  if (status !== 'active') return new Set();
  return new Set(roles.filter(({ id }) => roleIds.includes(id)).flatMap(({ scopes }) => scopes));
}
