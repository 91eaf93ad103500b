/** What callers may pass to the users and roles of a tenant. */
import { isEmail, Users } from '@counterfoil/core';
import { z } from 'zod';
import { EmailText, name, pattern, text } from '../input/texts.ts';

const RoleIds = z.array(text(64)).max(Users.MAX_ROLES_OF_USER);
const rowVersion = z.int().positive().optional();
const Scopes = z
  .array(
    pattern(/^[a-z-]+:[a-z-]+$/, { max: 100, detail: 'must be a scope such as payments:read' }),
  )
  .max(200);

export const UserId = text(64);

export const Invitation = z.strictObject({
  email: EmailText.refine(isEmail, 'must be an email address'),
  name: name(200),
  roleIds: RoleIds,
});
export type Invitation = z.input<typeof Invitation>;

/** What is absent stays as it is. */
export const UserChange = z.strictObject({
  name: name(200).optional(),
  roleIds: RoleIds.optional(),
  /** `active` lets a disabled user in again; one who never accepted the invitation is `invited` again. */
  status: z.enum(['active', 'disabled']).optional(),
  rowVersion,
});
export type UserChange = z.input<typeof UserChange>;

export const RoleInput = z.strictObject({ name: name(200), scopes: Scopes });
export type RoleInput = z.input<typeof RoleInput>;

export const RoleReplacement = RoleInput.extend({ rowVersion });
export type RoleReplacement = z.input<typeof RoleReplacement>;
