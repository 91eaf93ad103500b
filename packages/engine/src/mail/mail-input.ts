/** What callers may pass to the mails of a tenant. */
import { isEmail, MailProfile } from '@counterfoil/core';
import { z } from 'zod';
import {
  bounded,
  Day,
  EmailText,
  IdempotencyKey,
  IN_ORDER,
  inOrder,
  keyed,
  pattern,
  text,
  Uuid,
} from '../input/texts.ts';
import { MAIL_STATUS } from './kept-mails.ts';
import { isOneLine, mailAddressOf } from './mail-settings.ts';
import { TEMPLATE_NAMES } from './named-templates.ts';
import { MAIL_KINDS } from './outbox.ts';
import { MAX_TEMPLATE_BYTES } from './template-language.ts';

export const MAX_BATCH = 100;
export const MAX_RECIPIENTS = 50;
export const MAX_LISTED = 100;
const MAX_HEADERS = 20;
const MAX_ADDRESS_LENGTH = 500;
/** RFC 5322, of a line. */
const MAX_HEADER_LENGTH = 900;

export const AddressText = bounded(MAX_ADDRESS_LENGTH).refine(
  (given) => mailAddressOf(given) !== undefined,
  'must be an address, such as ann@example.com or Ann <ann@example.com>',
);
const NamedAddress = z.strictObject({
  name: text(200).default(''),
  address: EmailText.refine(isEmail, 'must be an email address'),
});
/** `ann@example.com`, `Ann <ann@example.com>` or `{ name, address }`. */
export const Address = z.union([AddressText, NamedAddress]);
/** One, or a list. */
export const Addresses = z.union([Address, z.array(Address).min(1).max(MAX_RECIPIENTS)]);

/**
 * Those that say nothing of who writes to whom, of what the mail is made of, or of who has signed it:
 * `X-…` and some of RFC 5322 and RFC 2919.
 */
const OWN_HEADER =
  /^([Xx]-[A-Za-z0-9-]{1,60}|In-Reply-To|References|Keywords|Comments|Importance|Feedback-ID|List-ID)$/;
/** The service sets these. */
const RESERVED = new Set(['x-auto-response-suppress', 'x-mailer']);

export const HeaderName = pattern(OWN_HEADER, {
  max: 62,
  detail: 'must begin with X-, or be one of the headers that the documentation names',
}).refine((name) => !RESERVED.has(name.toLowerCase()), 'is set by the service');
export const HeaderValue = bounded(MAX_HEADER_LENGTH).refine(
  isOneLine,
  'must not contain line ends or other control characters',
);
export const Headers = z
  .record(HeaderName, HeaderValue)
  .refine((given) => Object.keys(given).length <= MAX_HEADERS, {
    message: `must be at most ${MAX_HEADERS}`,
  })
  .refine(
    (given) =>
      new Set(Object.keys(given).map((name) => name.toLowerCase())).size ===
      Object.keys(given).length,
    'must not name a header twice',
  );

export const Subject = pattern(/^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+$/u, {
  max: 500,
  detail: 'must not be empty, nor contain line ends or other control characters',
});
/** Line ends are fine there. A longer one is refused where it is read, by its octets. */
export const TemplateContent = bounded(MAX_TEMPLATE_BYTES).min(1);
export const TemplateType = z.enum(['string', 'react']);
export const TemplateName = z.enum(TEMPLATE_NAMES);
export const TemplateData = z.record(bounded(200), z.unknown());

const message = {
  /** In a domain that the tenant may send from. */
  from: Address,
  to: Addresses,
  cc: Addresses.optional(),
  bcc: Addresses.optional(),
  replyTo: Address.optional(),
  subject: Subject,
  templateType: TemplateType,
  /** Of the type `react`. */
  templateName: TemplateName.optional(),
  /** Of the type `string`. */
  templateContent: TemplateContent.optional(),
  templateData: TemplateData.optional(),
  headers: Headers.optional(),
  /** Adds the headers by which its only recipient can unsubscribe with one click. */
  listUnsubscribe: z.boolean().optional(),
};

export const MailInput = z.strictObject({
  ...message,
  /** Names the mail for 7 days. Default: derived from the content. */
  idempotencyKey: IdempotencyKey.optional(),
  /** Live when absent. */
  sandbox: z.boolean().optional(),
});
export type MailInput = z.input<typeof MailInput>;
export const MailBatch = z.array(MailInput).min(1).max(MAX_BATCH);
export type MailBatch = readonly MailInput[];

/** What mails would be about. */
export const About = z.strictObject({ sandbox: z.boolean().optional() });
export type About = z.input<typeof About>;

export const MailList = z
  .strictObject({
    status: z.enum(MAIL_STATUS).optional(),
    kind: z.enum(MAIL_KINDS).optional(),
    /** true: those that had nobody to go to or nothing to say any more; false: the others. */
    needless: z.boolean().optional(),
    /** A recipient. */
    to: EmailText.optional(),
    /** Days in GMT in which mails were accepted, both included. */
    dateFrom: Day.optional(),
    dateTo: Day.optional(),
    sandbox: z.boolean().optional(),
    /** Default: 100. */
    limit: z.int().min(1).max(MAX_LISTED).optional(),
    /** `end` of the page before. */
    after: z.strictObject({ createdAt: bounded(64), id: bounded(64) }).optional(),
  })
  .refine(inOrder, IN_ORDER);
export type MailList = z.input<typeof MailList>;

export const MailId = Uuid;

export const Resend = z.strictObject(keyed);
export type Resend = z.input<typeof Resend>;

export const SuppressionInput = z.strictObject({
  email: EmailText.refine(isEmail, 'must be an email address'),
  note: text(200).optional(),
  sandbox: z.boolean().optional(),
});
export type SuppressionInput = z.input<typeof SuppressionInput>;

export const SuppressionList = z.strictObject({
  email: EmailText.optional(),
  sandbox: z.boolean().optional(),
  limit: z.int().min(1).max(MAX_LISTED).optional(),
  after: text(64).optional(),
});
export type SuppressionList = z.input<typeof SuppressionList>;
export const SuppressionId = text(64);

const own = MailProfile.Settings.shape;
export const Language = bounded(35).refine(
  (given) => {
    try {
      return Intl.getCanonicalLocales(given)[0] === given;
    } catch {
      return false;
    }
  },
  { message: 'must be a language tag such as en-GB or de' },
);
const smtp = {
  host: pattern(/^[A-Za-z0-9.:_-]+$/, { max: 253, detail: 'must be a host name or an address' }),
  port: z.int().min(1).max(65_535),
  /** TLS from the start; else STARTTLS where the server offers it, and always with a password. */
  secure: z.boolean(),
  user: text(254),
  /** Masked when it is read: a masked value written back is the one that is kept. */
  password: text(1_000),
};
/** What is absent stays as it is; of a new one: port 587, no TLS from the start, no user. */
export const SmtpChange = z.strictObject(smtp).partial();

/** What is absent stays as it is; null takes it away. */
export const MailSettingsChange = z.strictObject({
  sender: NamedAddress.nullable().optional(),
  smtp: SmtpChange.nullable().optional(),
  tracking: own.tracking.partial().optional(),
  language: Language.optional(),
  /** By kind; null for the built-in text. */
  texts: z.partialRecord(z.enum(MailProfile.KINDS), MailProfile.Text.nullable()).optional(),
  rowVersion: z.int().positive().optional(),
});
export type MailSettingsChange = z.input<typeof MailSettingsChange>;

export const MailTextInput = z.strictObject({
  kind: z.enum(MailProfile.KINDS),
  /** null for the built-in text. Default: what is sent now. */
  own: MailProfile.Text.nullable().optional(),
});
export type MailTextInput = z.input<typeof MailTextInput>;
