/** Admin: how the tenant's mails are sent. */
import { MailProfile } from '@counterfoil/core';
import { Language, notACardNumber } from '@counterfoil/engine/input';
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
import { Email, type FaceServices, ledgerFor, pattern, text } from './wire.ts';

const PATH = '/api/admin/mailsettings';

const sender = {
  name: text(200).optional().meta({ description: 'Shown beside the address' }),
  address: Email.meta({ description: 'In a sender domain of the tenant' }),
};
const SENDER = 'Whom what the ledger mails by itself is from; in a sender domain. null: the host';
const smtp = {
  host: pattern(/^[A-Za-z0-9.:_-]+$/, {
    max: 253,
    detail: 'must be a host name or an address',
  }).meta({ description: 'In production only public addresses are connected to' }),
  port: z.int().min(1).max(65_535).meta({ description: 'Of a new server by default 587' }),
  secure: z.boolean().meta({
    description:
      'TLS from the start; else STARTTLS where it is offered, and always with a password',
  }),
  user: text(254).meta({ description: 'Empty: without credentials' }),
  password: notACardNumber(text(1_000)).meta({
    description:
      'Kept encrypted, and masked when it is read: a masked value written back is the one that is kept. Required again with another host or port',
  }),
};
const SMTP = 'The mail server of the tenant. null: that of the host';
const tracking = {
  opens: z.boolean().meta({ description: 'Whether opening a submitted email is recorded' }),
  clicks: z.boolean().meta({ description: 'Whether following its links is recorded' }),
};
const language = Language.meta({
  description: 'Of dates, and what mails say that they are in',
  example: 'en-GB',
});
const words = {
  subject: text(MailProfile.MAX_SUBJECT_LENGTH).min(1).meta({ description: 'A template' }),
  text: z.string().min(1).max(MailProfile.MAX_TEXT_LENGTH).meta({
    description: 'Paragraphs with empty lines between them; a template',
  }),
};
const IN_LANGUAGE = 'In the language of `templateContent`';
const Text = z.object(words).meta({ id: 'MailText', description: IN_LANGUAGE });
const TextChange = z
  .object(words)
  .nullable()
  .meta({ id: 'MailTextChange', description: IN_LANGUAGE });
const TEXTS = 'In place of the built-in texts, by what is mailed about';

const MailSettings = z
  .object({
    sender: z.object(sender).nullable().meta({ id: 'MailSender', description: SENDER }),
    smtp: z.object(smtp).nullable().meta({ id: 'MailServer', description: SMTP }),
    tracking: z.object(tracking).meta({ id: 'MailTracking', description: 'Off by default' }),
    language,
    texts: z.partialRecord(z.enum(MailProfile.KINDS), Text).meta({ description: TEXTS }),
    rowVersion: RowVersion,
  })
  .meta({ id: 'MailSettings' });
const Answer = envelopeOf(MailSettings, 'MailSettingsAnswer');

const MailSettingsChange = z
  .object({
    sender: z
      .object(sender)
      .nullable()
      .meta({ id: 'MailSenderChange', description: SENDER })
      .optional(),
    smtp: z
      .object(smtp)
      .partial()
      .nullable()
      .meta({ id: 'MailServerChange', description: SMTP })
      .optional(),
    tracking: z
      .object(patchOf(tracking))
      .nullable()
      .meta({ id: 'MailTrackingChange', description: 'Off by default' })
      .optional(),
    language: language.nullish(),
    texts: z
      .partialRecord(z.enum(MailProfile.KINDS), TextChange)
      .nullish()
      .meta({ description: `${TEXTS}; null for the built-in one` }),
    rowVersion: RowVersion.optional(),
  })
  .meta({ id: 'MailSettingsChange' });

type Tracking = z.input<typeof MailSettingsChange>['tracking'];

/** The default in the place of null. */
function trackingOf(change: Exclude<Tracking, undefined>) {
  const { tracking: off } = MailProfile.initial;
  if (change === null) return off;
  const { opens, clicks } = change;
  return {
    opens: opens === null ? off.opens : opens,
    clicks: clicks === null ? off.clicks : clicks,
  };
}

const NO_TEXTS = Object.fromEntries(MailProfile.KINDS.map((kind) => [kind, null]));

const MailTextPreview = z
  .object({
    kind: z.enum(MailProfile.KINDS).meta({ description: 'What is mailed about' }),
    own: TextChange.optional().meta({
      description: 'The text to show; null: the built-in one. By default what is sent now',
    }),
  })
  .meta({ id: 'MailTextPreview' });
const PreviewAnswer = envelopeOf(
  z
    .object({
      kind: z.enum(MailProfile.KINDS).meta({ description: 'What is mailed about' }),
      subject: z.string().meta({ description: 'As it would be sent' }),
      text: z.string().meta({ description: 'The plain part' }),
      html: z.string().meta({ description: 'The HTML part' }),
      variables: z
        .record(z.string(), z.union([z.string(), z.boolean()]))
        .meta({ description: 'What a text may name, with the value of the sample' }),
      builtIn: Text.meta({
        description: 'The built-in text as one of your own would say it, to begin with',
      }),
    })
    .meta({ id: 'MailTextShown' }),
  'MailTextPreviewAnswer',
);

function mailSettingsEndpoints(services: FaceServices): Endpoint[] {
  return [read(services), change(services), preview(services)];
}

function read(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'getMailSettings',
    method: 'GET',
    path: PATH,
    tag: ADMIN,
    summary: 'Read the settings of mails',
    description: 'Sender, mail server, tracking, language and texts. The password is masked.',
    access: adminAccess('mails:read'),
    responses: { 200: { description: 'The settings', schema: Answer } },
    rejections: [],
    idempotency: 'none',
    version: 'sent',
    holdsSecrets: true,
    handle: async (context) => itemAnswer(await ledgerFor(services, context).mailSettings.get()),
  });
}

function change(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'changeMailSettings',
    action: 'mailSettings.change',
    method: 'PATCH',
    path: PATH,
    tag: ADMIN,
    summary: 'Change the settings of mails',
    description:
      'A JSON merge patch (RFC 7396): what it leaves out stays as it is, and null resets it.',
    access: adminAccess('mails:write'),
    body: MailSettingsChange,
    responses: { 200: { description: 'The settings', schema: Answer } },
    rejections: [
      'unauthorized_domain',
      'precondition_failed',
      'stale_row_version',
      'concurrent_update',
    ],
    idempotency: 'none',
    version: 'checked',
    holdsSecrets: true,
    async handle(context, { body }) {
      const { mailSettings } = ledgerFor(services, context);
      const rowVersion = await seenVersion(context, body, () => mailSettings.get());
      const { language, tracking, texts, rowVersion: _, ...given } = body;
      const changed = await mailSettings.change({
        ...given,
        ...(language !== undefined && { language: language ?? MailProfile.initial.language }),
        ...(tracking !== undefined && { tracking: trackingOf(tracking) }),
        ...(texts !== undefined && { texts: texts ?? NO_TEXTS }),
        rowVersion,
      });
      return itemAnswer(changed, 'Changed');
    },
  });
}

function preview(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'previewMailText',
    method: 'POST',
    path: `${PATH}/preview`,
    tag: ADMIN,
    summary: 'Render a mail of the ledger with sample values',
    description:
      'With a text of your own, the one that is sent now, or the built-in one. Nothing is sent or kept.',
    access: adminAccess('mails:read'),
    body: MailTextPreview,
    responses: { 200: { description: 'The mail', schema: PreviewAnswer } },
    rejections: ['invalid_request'],
    idempotency: 'none',
    async handle(context, { body }) {
      const item = await ledgerFor(services, context).mailSettings.preview(body);
      return { status: 200, body: { success: true, message: '', item } };
    },
  });
}

const REFUSALS = rows({
  SmtpPasswordRequired: {
    code: 'invalid_request',
    errors: () => [{ pointer: '/smtp/password', detail: 'is required with another host or port' }],
  },
});

export const MAIL_SETTINGS = apiSlice(mailSettingsEndpoints, REFUSALS);
