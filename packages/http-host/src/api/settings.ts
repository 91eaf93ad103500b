/** Admin: the settings of the tenant. */
import { Tenant } from '@counterfoil/core';
import type { SettingsView } from '@counterfoil/engine';
import { z } from 'zod';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import {
  ADMIN,
  adminAccess,
  envelopeOf,
  itemAnswer,
  patchOf,
  RowVersion,
  seenVersion,
} from './collections.ts';
import { apiSlice, rows } from './slice.ts';
import { type FaceServices, ledgerFor } from './wire.ts';

const PATH = '/api/admin/settings';

const { shape } = Tenant.Settings;
const dunning = Tenant.Dunning.shape;

const members = {
  requestsPerMinute: shape.requestsPerMinute.meta({
    description: 'How many requests each environment may make in a minute',
  }),
  refundWindowDays: shape.refundWindowDays.meta({
    description: 'Days after a capture in which it may be refunded',
  }),
  reserveHoldDays: shape.reserveHoldDays.meta({
    description: 'Days that a rolling reserve is held',
  }),
  unsubscribeOnDispute: shape.unsubscribeOnDispute.meta({
    description: 'Whether a chargeback or a confirmed fraud ends subscriptions',
  }),
  requireKnownUsers: shape.requireKnownUsers.meta({
    description:
      'Whether `UserEmail` must name an active user, whose scopes bound those of the key. Needs an active owner',
  }),
};
const dunningMembers = {
  retryAfterDays: dunning.retryAfterDays.meta({
    description: 'Days after the first failed try of a cycle, ascending; then it is frozen',
  }),
  mails: dunning.mails.meta({ description: 'The mails that a subscriber gets' }),
};
const DUNNING = 'What happens when a rebill is declined';
const late = Tenant.LateCapture.shape;
const lateMembers = {
  action: late.action.meta({ description: '`refund`: in full, once, with a mail' }),
  afterMinutes: late.afterMinutes.meta({
    description: 'Later than so many minutes after the outcome was unknown',
  }),
};
const LATE_CAPTURE =
  'What happens to a payment of unknown outcome that is found captured late. Rebills are always kept';

const listing = Tenant.BlackListing.shape;
const listingMembers = {
  onChargeback: listing.onChargeback.meta({ description: 'After a chargeback' }),
  onConfirmedFraud: listing.onConfirmedFraud.meta({
    description: 'After an alert of confirmed fraud',
  }),
};
const BLACK_LISTING =
  'What of the payer is put on the black list by itself, as a sum of: 1 email · 2 card fingerprint · 4 BIN · 8 extended BIN · 16 IP · 32 customer. 0 for nothing';

const answerDays = Object.fromEntries(
  Object.entries(Tenant.ChargebackAnswerDays.shape).map(([network, days]) => [
    network,
    days.meta({
      description: `Of a card of ${network === 'Unknown' ? 'no known network' : network}`,
    }),
  ]),
) as typeof Tenant.ChargebackAnswerDays.shape;
const ANSWER_DAYS =
  'Days in which a chargeback must be answered whose report does not say until when, by the network of its card';

const threshold = Tenant.DisputeThresholds.shape.warning.shape;
const thresholdMembers = {
  percent: threshold.percent.meta({ description: 'Chargebacks over captures of a month' }),
  chargebacks: threshold.chargebacks.meta({ description: 'As many at least' }),
};
const Threshold = z.object(thresholdMembers).meta({ id: 'DisputeThreshold' });
const ThresholdChange = z
  .object(patchOf(thresholdMembers))
  .nullable()
  .meta({ id: 'DisputeThresholdChange' });
const WARNING = { description: 'From here on a month is `warning`: percent and number together' };
const EXCESSIVE = { description: 'From here on it is `excessive`' };
const THRESHOLDS = 'What the dispute rates of merchant accounts are held against';
export const DisputeThresholds = z
  .object({ warning: Threshold.meta(WARNING), excessive: Threshold.meta(EXCESSIVE) })
  .meta({ id: 'DisputeThresholds', description: THRESHOLDS });

const Settings = z
  .object({
    ...members,
    dunning: z.object(dunningMembers).meta({ id: 'Dunning', description: DUNNING }),
    lateCapture: z.object(lateMembers).meta({ id: 'LateCapture', description: LATE_CAPTURE }),
    blackListing: z.object(listingMembers).meta({ id: 'BlackListing', description: BLACK_LISTING }),
    chargebackAnswerDays: z
      .object(answerDays)
      .meta({ id: 'ChargebackAnswerDays', description: ANSWER_DAYS }),
    disputeThresholds: DisputeThresholds,
    rowVersion: RowVersion,
  })
  .meta({ id: 'Settings' });
const Answer = envelopeOf(Settings, 'SettingsAnswer');

const SettingsChange = z
  .object({
    ...patchOf(members),
    dunning: z
      .object(patchOf(dunningMembers))
      .nullable()
      .meta({ id: 'DunningChange', description: DUNNING })
      .optional(),
    lateCapture: z
      .object(patchOf(lateMembers))
      .nullable()
      .meta({ id: 'LateCaptureChange', description: LATE_CAPTURE })
      .optional(),
    blackListing: z
      .object(patchOf(listingMembers))
      .nullable()
      .meta({ id: 'BlackListingChange', description: BLACK_LISTING })
      .optional(),
    chargebackAnswerDays: z
      .object(patchOf(answerDays))
      .nullable()
      .meta({ id: 'ChargebackAnswerDaysChange', description: ANSWER_DAYS })
      .optional(),
    disputeThresholds: z
      .object({
        warning: ThresholdChange.optional().meta(WARNING),
        excessive: ThresholdChange.optional().meta(EXCESSIVE),
      })
      .nullable()
      .meta({ id: 'DisputeThresholdsChange', description: THRESHOLDS })
      .optional(),
    rowVersion: RowVersion.optional(),
  })
  .meta({ id: 'SettingsChange' });

function settingsEndpoints(services: FaceServices): Endpoint[] {
  return [readSettings(services), changeSettings(services)];
}

function readSettings(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'getSettings',
    method: 'GET',
    path: PATH,
    tag: ADMIN,
    summary: 'Read the settings',
    description: 'The settings of the tenant, of both environments.',
    access: adminAccess('settings:read'),
    responses: { 200: { description: 'The settings', schema: Answer } },
    rejections: ['not_found'],
    idempotency: 'none',
    version: 'sent',
    handle: async (context) => itemAnswer(await ledgerFor(services, context).settings.get()),
  });
}

function changeSettings(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'changeSettings',
    action: 'settings.amend',
    method: 'PATCH',
    path: PATH,
    tag: ADMIN,
    summary: 'Change the settings',
    description:
      'A JSON merge patch (RFC 7396): what it leaves out stays as it is, and null resets a setting, a group of them or one of a group to its default.',
    access: adminAccess('settings:write'),
    body: SettingsChange,
    responses: { 200: { description: 'The settings', schema: Answer } },
    rejections: ['not_found', 'precondition_failed', 'stale_row_version', 'concurrent_update'],
    idempotency: 'none',
    version: 'checked',
    async handle(context, { body }) {
      const { settings } = ledgerFor(services, context);
      const seen = await seenVersion(context, body, () => settings.get());
      const { rowVersion: _, ...patch } = body;
      const changed: SettingsView = await settings.amend(patch, seen);
      return itemAnswer(changed, 'Changed');
    },
  });
}

const REFUSALS = rows({
  ActiveOwnerRequired: {
    code: 'invalid_request',
    errors: () => [
      { pointer: '/requireKnownUsers', detail: 'needs an owner among the users who is active' },
    ],
  },
  RetriesNotAscending: {
    code: 'invalid_request',
    errors: () => [{ pointer: '/dunning/retryAfterDays', detail: 'The days must ascend' }],
  },
});

export const SETTINGS = apiSlice(settingsEndpoints, REFUSALS);
