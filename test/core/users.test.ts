/** Users and roles: who is there, what they may become, and the last owner. */
import { fold, type TenantId, Users } from '@counterfoil/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { whenOf } from './when.ts';

const when = whenOf(Users);
const tenantId = 7 as TenantId;
const at = '2026-01-10T12:00:00.000Z';
const id = (number: number) => `0192f000-0000-4000-8000-00000000000${number}`;
const ROLE = id(9);

const invited = (number: number, ...roleIds: string[]): Users.Event => ({
  type: 'UserInvited',
  userId: id(number),
  email: `user-${number}@example.com`,
  name: `User ${number}`,
  roleIds,
  at,
});
const activated = (number: number): Users.Event => ({
  type: 'UserActivated',
  userId: id(number),
  at,
});
const disabled = (number: number): Users.Event => ({
  type: 'UserDisabled',
  userId: id(number),
  at,
});
const reinvited = (number: number): Users.Event => ({
  type: 'UserReinvited',
  userId: id(number),
  at,
});
const role: Users.Event = {
  type: 'RoleDefined',
  roleId: ROLE,
  name: 'Night',
  scopes: ['payments:read'],
  at,
};
const change = (number: number, roleIds: string[], rowVersion?: number): Users.Command => ({
  type: 'ChangeUser',
  tenantId,
  userId: id(number),
  name: `User ${number}`,
  roleIds,
  rowVersion,
  at,
});
const disable = (number: number, ...roleIds: string[]): Users.Command => ({
  type: 'ChangeUser',
  tenantId,
  userId: id(number),
  name: `User ${number}`,
  roleIds,
  status: 'disabled',
  at,
});
const invite = (number: number, email: string, roleIds: string[] = []): Users.Command => ({
  type: 'InviteUser',
  tenantId,
  userId: id(number),
  email,
  name: 'Somebody',
  roleIds,
  at,
});

describe('a user', () => {
  it('is invited once, by an email however it is written', () => {
    const rejection = { type: 'UserExists', userId: id(1) } as const;
    when([invited(1)], invite(2, 'User-1@EXAMPLE.com')).thenRejected(rejection);
    when([invited(1)], invite(1, 'user-1@example.com')).thenNothing();
  });

  it('has roles that are there', () => {
    const rejection = { type: 'RoleNotDefined', roleId: ROLE } as const;
    when([], invite(1, 'a@b.co', ['agent', ROLE])).thenRejected(rejection);
    when([invited(1)], change(1, [ROLE])).thenRejected(rejection);
    when([role], invite(1, 'a@b.co', [ROLE])).then({
      ...invited(1, ROLE),
      email: 'a@b.co',
      name: 'Somebody',
    } as Users.Event);
  });

  it('is changed from the version that was seen', () => {
    const stale = { type: 'StaleRowVersion', rowVersion: 1, current: 2 } as const;
    when([invited(1), activated(1)], change(1, ['agent'], 1)).thenRejected(stale);
    when([invited(1, 'agent')], change(1, ['agent'])).thenNothing();
    when([], change(1, [])).thenRejected({ type: 'UserUnknown' });
  });
});

describe('a change of more than one thing', () => {
  const past = [invited(1, 'owner'), activated(1), invited(2, 'owner'), activated(2)];
  const renamed = { name: 'Ada', userId: id(1), at };

  it('is made whole', () =>
    when(past, { ...disable(1, 'agent'), name: 'Ada' } as Users.Command).then(
      { type: 'UserChanged', ...renamed, roleIds: ['agent'] },
      { type: 'UserDisabled', userId: id(1), at },
    ));

  it('is not made at all where a part is refused', () =>
    when(past.slice(0, 2), { ...disable(1, 'owner'), name: 'Ada' } as Users.Command).thenRejected({
      type: 'LastOwner',
    }));

  it('does not stand in for the invitation that a user has yet to accept', () =>
    when([invited(1)], { ...change(1, []), status: 'active' } as Users.Command).thenNothing());
});

describe('a user who is enabled again', () => {
  const enable = { ...change(1, []), status: 'active' } as Users.Command;
  const userId = id(1);

  it('is active, once the invitation was accepted', () =>
    when([invited(1), activated(1), disabled(1)], enable).then({
      type: 'UserActivated',
      userId,
      at,
    }));

  it('is invited as before, where it never was', () => {
    when([invited(1), disabled(1)], enable).then({ type: 'UserReinvited', userId, at });
    const again = [invited(1), disabled(1), reinvited(1)];
    when(again, enable).thenNothing();
    when(again, { type: 'ActivateUser', tenantId, userId, at }).then({
      type: 'UserActivated',
      userId,
      at,
    });
  });

  it('is not enabled by a password', () =>
    when([invited(1), disabled(1)], { type: 'ActivateUser', tenantId, userId, at }).thenNothing());
});

describe('the last owner', () => {
  const owner = [invited(1, 'owner'), activated(1)];

  it.each([
    ['cannot be disabled', owner, disable(1, 'owner')],
    ['cannot lose the role', owner, change(1, ['agent'])],
    ['is the active one, whoever is invited', [...owner, invited(2, 'owner')], disable(1, 'owner')],
    ['may still be invited', [invited(1, 'owner')], change(1, [])],
    [
      'is not one who was disabled and enabled before ever signing in',
      [...owner, invited(2, 'owner'), disabled(2), reinvited(2)],
      disable(1, 'owner'),
    ],
  ] as const)('%s', (_name, past, command) =>
    when(past, command).thenRejected({ type: 'LastOwner' }),
  );

  it('is not the last beside another active one', () =>
    when([...owner, invited(2, 'owner'), activated(2)], disable(1, 'owner')).then({
      type: 'UserDisabled',
      userId: id(1),
      at,
    }));

  it('stays, whatever is tried', () => {
    const number = fc.integer({ min: 1, max: 4 });
    const roles = fc.subarray(['owner', 'agent', 'viewer']);
    const command: fc.Arbitrary<Users.Command> = fc.oneof(
      fc.tuple(number, roles).map(([each, all]) => invite(each, `user-${each}@example.com`, all)),
      fc.tuple(number, roles).map(([each, all]) => change(each, all)),
      fc.tuple(number, roles).map(([each, all]) => disable(each, ...all)),
      number.map((each) => ({ type: 'ActivateUser' as const, tenantId, userId: id(each), at })),
    );
    fc.assert(
      fc.property(fc.array(command, { maxLength: 30 }), (commands) => {
        let state = fold(Users, owner);
        for (const each of commands) {
          const decided = Users.decide(state, each);
          if (decided._tag === 'Right') state = fold(Users, decided.right, state);
        }
        const left = [...state.users.values()].filter(
          ({ status, roleIds }) => status === 'active' && roleIds.includes('owner'),
        );
        expect(left.length).toBeGreaterThan(0);
      }),
    );
  });
});

describe('a role', () => {
  const define = (roleId: string, rowVersion?: number): Users.Command => ({
    type: 'DefineRole',
    tenantId,
    roleId,
    name: 'Night',
    scopes: ['payments:read', 'payments:read'],
    rowVersion,
    at,
  });
  const remove = (roleId: string): Users.Command => ({ type: 'RemoveRole', tenantId, roleId, at });
  const OTHER = id(8);
  const named = (roleId: string, name: string) => ({ ...define(roleId), name }) as Users.Command;
  const defined = (roleId: string, name: string): Users.Event =>
    ({ ...role, roleId, name }) as Users.Event;

  it('is a set of scopes', () => when([], define(ROLE)).then(role));

  it.each([
    ['is not one of the built-in', [], define('owner'), { type: 'RoleBuiltIn', roleId: 'owner' }],
    ['that is built in stays', [], remove('viewer'), { type: 'RoleBuiltIn', roleId: 'viewer' }],
    ['is unknown before', [], remove(ROLE), { type: 'RoleUnknown', roleId: ROLE }],
    ['of a version is there', [], define(ROLE, 1), { type: 'RoleUnknown', roleId: ROLE }],
    [
      'is another version',
      [role],
      define(ROLE, 2),
      { type: 'StaleRowVersion', rowVersion: 2, current: 1 },
    ],
    [
      'has a name of its own, whatever its case',
      [role],
      named(OTHER, ' nIGHT '),
      { type: 'RoleNameTaken', roleId: ROLE },
    ],
    [
      'is not called as a built-in one',
      [],
      named(ROLE, 'Owner'),
      { type: 'RoleNameTaken', roleId: 'owner' },
    ],
    [
      'does not take the name of another',
      [role, defined(OTHER, 'Day')],
      named(OTHER, 'Night'),
      { type: 'RoleNameTaken', roleId: ROLE },
    ],
    [
      'of a user stays',
      [role, invited(1, ROLE)],
      remove(ROLE),
      { type: 'RoleInUse', roleId: ROLE },
    ],
  ] as const)('%s', (_name, past, command, rejection) =>
    when(past, command).thenRejected(rejection),
  );

  it('keeps the name that it shares since an earlier version, or writes it otherwise', () => {
    const past = [role, defined(OTHER, 'Night')];
    when(past, named(OTHER, 'Night')).thenNothing();
    when(past, named(OTHER, 'NIGHT')).then(defined(OTHER, 'NIGHT'));
    when(past, named(OTHER, 'Day')).then(defined(OTHER, 'Day'));
  });

  it('is removed', () =>
    when([role], remove(ROLE)).then({ type: 'RoleRemoved', roleId: ROLE, at }));
});
