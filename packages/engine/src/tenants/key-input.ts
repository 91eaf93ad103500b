/** What callers may pass to the keys and the settings of a tenant. */
import { Tenant } from '@counterfoil/core';
import { z } from 'zod';
import { Id, pattern, text } from '../input/texts.ts';

const MAX_SCOPES = 100;
const MAX_ORIGIN_LENGTH = 300;

export const Scope = pattern(/^[a-z-]+:[a-z-]+$/, {
  max: 100,
  detail: 'must be a scope such as payments:read',
});

/**
 * `https://shop.example`, as browsers send it: in lower case, without a path or a default port. A `*` is
 * refused, since it would stand for no other origins: they are compared as they are.
 */
export const Origin = text(MAX_ORIGIN_LENGTH).refine(
  (given) =>
    URL.canParse(given) && isWeb(given) && new URL(given).origin === given && !given.includes('*'),
  'must be an origin such as https://shop.example',
);

function isWeb(url: string): boolean {
  return /^https?:$/.test(new URL(url).protocol);
}

const Label = text(200);
const Origins = z.array(Origin).max(Tenant.MAX_ORIGINS);

interface Bound {
  readonly kind?: Tenant.Key['kind'] | undefined;
  readonly applicationId?: number | undefined;
  readonly allowedOrigins?: readonly string[] | undefined;
  readonly scopes?: readonly string[] | undefined;
}

/** `api` keys alone have scopes; publishable ones have an application and origins in their place. */
export function checkBound(given: Bound, refinement: z.core.$RefinementCtx): void {
  const { kind = 'api', scopes = [] } = given;
  const isPublishable = kind === 'payment-publishable';
  const fault = (path: string, message: string) =>
    refinement.addIssue({ code: 'custom', path: [path], message });
  for (const name of ['applicationId', 'allowedOrigins'] as const) {
    if ((given[name] !== undefined) !== isPublishable) {
      fault(name, `is ${isPublishable ? 'needed of' : 'only for'} kind payment-publishable`);
    }
  }
  if (kind !== 'api' && scopes.length > 0) fault('scopes', `are not for kind ${kind}`);
}

const keyMembers = z.strictObject({
  /**
   * `tenant` keys are those of the email service, which has no scopes; `payment-publishable` those of
   * pages that pay checkout sessions. Default: `api`.
   */
  kind: z.enum(['api', 'tenant', 'payment-publishable']).optional(),
  /** Of a publishable key: whose sessions its pages pay. */
  applicationId: Id.optional(),
  /** Of a publishable key: where its pages are. */
  allowedOrigins: Origins.optional(),
  /** Default: `live`. */
  environment: z.enum(['live', 'test']).optional(),
  label: Label.optional(),
  scopes: z.array(Scope).max(MAX_SCOPES).optional(),
  /** ISO 8601, GMT. Default: never. */
  expiresAt: z.iso.datetime({ precision: 3 }).optional(),
});
export const KeyInput = keyMembers.superRefine(checkBound);
export type KeyInput = z.input<typeof KeyInput>;

export const Rotation = z.strictObject({
  /** How long the old key lives on. Default: 0. */
  overlapDays: z.int().min(0).max(Tenant.MAX_OVERLAP_DAYS).optional(),
});
export type Rotation = z.input<typeof Rotation>;

export const LeadKeyInput = z.strictObject({
  environment: z.enum(['live', 'test']).optional(),
  label: Label.optional(),
  applicationId: Id,
  allowedOrigins: Origins.optional(),
});
export type LeadKeyInput = z.input<typeof LeadKeyInput>;

/** What is absent stays as it is. */
export const LeadKeyChange = z.strictObject({
  label: Label.optional(),
  allowedOrigins: Origins.optional(),
  rowVersion: z.int().positive().optional(),
});
export type LeadKeyChange = z.input<typeof LeadKeyChange>;

/** A JSON merge patch: what it makes of the settings is checked as a whole. */
export const SettingsPatch = z.record(z.string().max(64), z.unknown());
export type SettingsPatch = z.input<typeof SettingsPatch>;
