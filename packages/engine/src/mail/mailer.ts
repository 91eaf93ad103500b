/** Sends mails to an SMTP server. */
import { isEmail, withAsciiDomain } from '@counterfoil/core';
import type { NodemailerError } from 'nodemailer';
import { isOneLine, type MailAddress, type SmtpServer } from './mail-settings.ts';
import { publicSocket } from './public-socket.ts';
import { inOneLine } from './templates.ts';

const MAX_CONNECTIONS = 4;
const MAX_MAILS_A_CONNECTION = 100;
const CONNECT_TIMEOUT_MS = 10_000;
/** Servers delay suspicious senders. */
const SILENCE_TIMEOUT_MS = 30_000;
/** Bounds the whole delivery: a server may keep sending useless responses. */
const MAIL_TIMEOUT_MS = 60_000;
const IDLE_MS = 10_000;
const MAX_RESPONSE_BYTES = 65_536;
/** A pooled connection found closed before the first byte is replaced. */
const MAX_NEW_CONNECTIONS = 1;

/** RFC 5321: service not available, for any recipient. */
const NOT_AVAILABLE = 421;

/** `dkim` beside these: receivers need the one-click header signed (RFC 8058). */
const SIGNED_HEADERS =
  'From:Sender:Reply-To:Subject:Date:Message-ID:To:Cc:MIME-Version:Content-Type:Content-Transfer-Encoding:In-Reply-To:References:List-Id:List-Unsubscribe:List-Unsubscribe-Post';

/** Of what a server says. */
const MAX_WORDS = 500;

/** A rendered mail with a text and an HTML part. */
export interface Mail {
  /** Stable across retries, so that receivers can detect duplicates. */
  readonly id: string;
  readonly from: MailAddress;
  readonly to: readonly MailAddress[];
  readonly cc?: readonly MailAddress[];
  readonly bcc?: readonly MailAddress[];
  readonly replyTo?: MailAddress | null;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Beside those of every mail; checked by the caller. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** The addresses that it is handed over for now. */
  readonly recipients: readonly string[];
  /** ISO 8601. */
  readonly date: string;
  readonly dkim?: Dkim | null;
}

export interface Dkim {
  readonly domainName: string;
  readonly keySelector: string;
  /** PEM. */
  readonly privateKey: string;
}

/** A recipient whom the server does not take the mail for. */
export interface Rejected {
  readonly address: string;
  readonly isPermanent: boolean;
  /** The code of its answer. */
  readonly reason: string;
  /** The words of its answer. */
  readonly response: string;
}

interface Answered {
  /** The words of the server, which may hold personal data; absent without an answer. */
  readonly response?: string;
  readonly rejected?: readonly Rejected[];
}

/**
 * `sent`: accepted by the server, but for the rejected recipients. `refused`: permanently rejected;
 * `isOfRecipient` where the recipient may be why. `put-off`: may succeed later; with `unreachable` because
 * of the server, not of this mail. A `put-off` mail may have been accepted when the connection broke before
 * the answer. Reasons are codes without personal data.
 */
export type Handover = Answered &
  (
    | { readonly outcome: 'sent' }
    | { readonly outcome: 'refused'; readonly reason: string; readonly isOfRecipient?: boolean }
    | { readonly outcome: 'put-off'; readonly reason: string; readonly unreachable: boolean }
  );

export interface Mailer {
  /** When `signal` fires, the mail is put off. */
  send(mail: Mail, signal: AbortSignal): Promise<Handover>;
  close(): void;
}

export interface MailerOptions {
  readonly server: SmtpServer;
  /** Of a server that a tenant names, in production: it is connected to at public addresses only. */
  readonly publicOnly?: boolean;
}

export function smtpMailer(options: MailerOptions): Mailer {
  let transport: ReturnType<typeof openTransport> | undefined;
  return {
    async send(mail, signal) {
      const fault = faultOf(mail);
      if (fault !== undefined) return { outcome: 'refused', reason: fault };
      const ends = AbortSignal.any([signal, AbortSignal.timeout(MAIL_TIMEOUT_MS)]);
      try {
        transport ??= openTransport(options);
        const answer = await (await transport).sendMail({ ...messageOf(mail), signal: ends });
        const rejected = rejectedIn(answer.rejectedErrors);
        return { outcome: 'sent', response: wordsOf(answer.response), rejected };
      } catch (error) {
        return handoverOf(error as NodemailerError);
      }
    },
    close() {
      void transport?.then((opened) => opened.close({ force: true }));
    },
  };
}

/** Loads nodemailer, which hosts that send no mail do not need. */
async function openTransport({ server, publicOnly = false }: MailerOptions) {
  const { default: nodemailer } = await import('nodemailer');
  const { host, port, secure, credentials } = server;
  const transport = nodemailer.createTransport({
    pool: true,
    host,
    port,
    secure,
    ...(credentials !== undefined && {
      auth: { user: credentials.user, pass: credentials.password },
      // Never sends a password in clear, except on loopback.
      requireTLS: !secure && !isLoopback(host),
    }),
    ...(publicOnly && { getSocket: publicSocket }),
    maxConnections: MAX_CONNECTIONS,
    maxMessages: MAX_MAILS_A_CONNECTION,
    maxRequeues: MAX_NEW_CONNECTIONS,
    maxResponseSize: MAX_RESPONSE_BYTES,
    idleTimeout: IDLE_MS,
    dnsTimeout: CONNECT_TIMEOUT_MS,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: SILENCE_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  // An error of an idle connection concerns no mail; without a listener it would crash the process.
  transport.on('error', () => {});
  return transport;
}

/** As nodemailer takes it; `signal` is beside it where it is sent. */
export function messageOf(mail: Mail) {
  const from = deliverable(mail.from);
  const { dkim } = mail;
  return {
    from,
    to: mail.to.map(deliverable),
    cc: (mail.cc ?? []).map(deliverable),
    ...(mail.replyTo && { replyTo: deliverable(mail.replyTo) }),
    envelope: { from: from.address, to: mail.recipients.map(withAsciiDomain) },
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    textEncoding: 'quoted-printable' as const,
    date: new Date(mail.date),
    messageId: `<${mail.id}@${domainOf(from.address)}>`,
    xMailer: false as const,
    headers: [
      // Suppresses automatic replies.
      { key: 'Auto-Submitted', value: 'auto-generated' },
      { key: 'X-Auto-Response-Suppress', value: 'All' },
      ...(mail.headers ?? []).map(([key, value]) => ({ key, value })),
    ],
    ...(dkim && { dkim: { ...dkim, headerFieldNames: SIGNED_HEADERS } }),
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** The whole mail as it goes over the wire, for those who want to see it. */
export async function sourceOf(mail: Mail): Promise<string> {
  const { default: nodemailer } = await import('nodemailer');
  const transport = nodemailer.createTransport({ streamTransport: true, buffer: true });
  const { message } = await transport.sendMail(messageOf(mail));
  return String(message);
}

/** Converts the domain to punycode. */
function deliverable({ name, address }: MailAddress): MailAddress {
  return { name, address: withAsciiDomain(address) };
}

/** Prevents header injection: nodemailer does not check addresses. */
function faultOf({ id, from, subject, recipients, ...mail }: Mail): string | undefined {
  const shown = [from, ...mail.to, ...(mail.cc ?? []), ...(mail.replyTo ? [mail.replyTo] : [])];
  const addresses = [...shown.map(({ address }) => address), ...recipients];
  if (recipients.length === 0 || !addresses.every(isEmail)) return 'address';
  if (!shown.every(({ name }) => isOneLine(name))) return 'name';
  if (!isOneLine(subject)) return 'subject';
  if (!(mail.headers ?? []).every(([name, value]) => HEADER.test(name) && isOneLine(value))) {
    return 'header';
  }
  return /^[\w.-]+$/.test(id) ? undefined : 'id';
}

const HEADER = /^[A-Za-z0-9-]{1,76}$/;

/**
 * Only an answer to the mail itself is a permanent rejection: else a wrong password or a stopping
 * server would lose mails.
 */
function handoverOf(error: NodemailerError): Handover {
  const { code = 'unknown', responseCode, permanent, command, response } = error;
  const isAboutMail = code === 'EENVELOPE' || code === 'EMESSAGE';
  const answer = responseCode === undefined ? [] : [String(responseCode)];
  const reason = (isAboutMail && answer[0]) || [code, ...answer].join(' ');
  const rejected = rejectedIn(error.rejectedErrors);
  const answered = { ...(response !== undefined && { response: wordsOf(response) }), rejected };
  const isFinal = rejected.every(({ isPermanent }) => isPermanent);
  if (isAboutMail && permanent === true && isFinal) {
    return { outcome: 'refused', reason, isOfRecipient: command !== 'MAIL FROM', ...answered };
  }
  const unreachable = !isAboutMail || responseCode === NOT_AVAILABLE;
  return { outcome: 'put-off', reason, unreachable, ...answered };
}

function rejectedIn(errors: readonly NodemailerError[] | undefined): readonly Rejected[] {
  return (errors ?? []).map(({ recipient = '', permanent, responseCode, response = '' }) => ({
    address: recipient,
    isPermanent: permanent === true,
    reason: String(responseCode ?? 'unknown'),
    response: wordsOf(response),
  }));
}

function wordsOf(response: string | undefined): string {
  return inOneLine(response ?? '').slice(0, MAX_WORDS);
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
