/** How a tenant's mails are sent: its sender, its server, its texts, and what is tracked. */
import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { z } from 'zod';
import { type EventsOf, event, Instant } from '../kernel/event-schema.ts';
import { canonicalJson } from '../kernel/fingerprint.ts';
import { type StreamName, streamName, type TenantId } from '../kernel/ids.ts';
import { type Stale, staleness } from '../kernel/row-version.ts';

/** What the ledger mails about by itself. */
export const KINDS = [
  'refunded',
  'unsubscribed',
  'rebill-failed',
  'frozen',
  'renewed',
  'invited',
  'password-reset',
] as const;
export type Kind = (typeof KINDS)[number];

export const MAX_SUBJECT_LENGTH = 500;
export const MAX_TEXT_LENGTH = 20_000;
const MAX_PORT = 65_535;

const text = {
  subject: z.string().min(1).max(MAX_SUBJECT_LENGTH),
  /** Paragraphs, with empty lines between them. */
  text: z.string().min(1).max(MAX_TEXT_LENGTH),
};
/** Both in the language of callers' templates. */
export const Text = z.strictObject(text);
export type Text = z.output<typeof Text>;

const settings = {
  /** Null: that of the host. */
  sender: z.strictObject({ name: z.string().max(200), address: z.string().max(254) }).nullable(),
  /** Null: that of the host. The password is sealed under the master key, and empty where there is none. */
  smtp: z
    .strictObject({
      host: z.string().min(1).max(253),
      port: z.int().min(1).max(MAX_PORT),
      secure: z.boolean(),
      user: z.string().max(254),
      sealedPassword: z.string(),
    })
    .nullable(),
  /** Whether opening a mail and following its links is recorded. */
  tracking: z.strictObject({ opens: z.boolean(), clicks: z.boolean() }),
  /** Of dates, and what the mails say that they are in. A tag of BCP 47. */
  language: z.string().min(2).max(35),
  /** In place of the built-in ones; each kind at most once. */
  texts: z.array(z.strictObject({ kind: z.enum(KINDS), ...text })).max(KINDS.length),
};

export const Settings = z.strictObject(settings);
export type Settings = z.output<typeof Settings>;

export const events = {
  MailProfileChanged: event({ ...settings, at: Instant }),
};
export type Event = EventsOf<typeof events>;

/** `rowVersion` is the one that the caller saw; not given: whichever there is. */
export type Command = {
  readonly type: 'ChangeMailProfile';
  readonly tenantId: TenantId;
  readonly rowVersion?: number | undefined;
  readonly at: string;
} & Settings;

export type Rejection = Stale;

export interface State extends Settings {
  /** Counts the changes, from 1 for a profile that was never changed. */
  readonly rowVersion: number;
}

export const initial: State = {
  sender: null,
  smtp: null,
  tracking: { opens: false, clicks: false },
  language: 'en-GB',
  texts: [],
  rowVersion: 1,
};

export function evolve({ rowVersion }: State, { type: _, at: __, ...changed }: Event): State {
  return { ...changed, rowVersion: rowVersion + 1 };
}

export function decide(
  { rowVersion: current, ...before }: State,
  { type: _, tenantId: __, rowVersion, at, ...changed }: Command,
): Either<Rejection, readonly Event[]> {
  const stale = staleness(rowVersion, current);
  if (stale !== undefined) return left(stale);
  const isSame = canonicalJson(before) === canonicalJson(changed);
  return right(isSame ? [] : [{ type: 'MailProfileChanged', ...changed, at }]);
}

/** In place of the built-in text of a kind. */
export function textOf({ texts }: Settings, kind: string): Text | undefined {
  return texts.find((each) => each.kind === kind);
}

export function streamOf({ tenantId }: { readonly tenantId: TenantId }): StreamName {
  return streamName('mail_profile', tenantId, 'all');
}
