/** Sends mails to an SMTP server. */
import { isEmail, withAsciiDomain } from '@counterfoil/core';
import nodemailer, { type NodemailerError } from 'nodemailer';
import { isOneLine, type MailAddress, type MailSettings } from './mail-settings.ts';

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

/** A rendered mail with a text and an HTML part. */
export interface Mail {
  /** Stable across retries, so that receivers can detect duplicates. */
  readonly id: string;
  readonly to: MailAddress;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** ISO 8601. */
  readonly date: string;
}

/**
 * `sent`: accepted by the server. `refused`: permanently rejected. `put-off`: may succeed later; with
 * `unreachable` because of the server, not of this mail. A `put-off` mail may have been accepted when
 * the connection broke before the answer. Reasons are codes without personal data.
 */
export type Handover =
  | { readonly outcome: 'sent' }
  | { readonly outcome: 'refused'; readonly reason: string }
  | { readonly outcome: 'put-off'; readonly reason: string; readonly unreachable: boolean };

export interface Mailer {
  /** When `signal` fires, the mail is put off. */
  send(mail: Mail, signal: AbortSignal): Promise<Handover>;
  close(): void;
}

export function smtpMailer({ server, from }: MailSettings): Mailer {
  const { host, port, secure, credentials } = server;
  const sender = deliverable(from);
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
  return {
    async send(mail, signal) {
      const fault = faultOf(mail);
      if (fault !== undefined) return { outcome: 'refused', reason: fault };
      const to = deliverable(mail.to);
      try {
        await transport.sendMail({
          from: sender,
          to,
          envelope: { from: sender.address, to: [to.address] },
          subject: mail.subject,
          text: mail.text,
          html: mail.html,
          textEncoding: 'quoted-printable',
          date: new Date(mail.date),
          messageId: `<${mail.id}@${domainOf(sender.address)}>`,
          xMailer: false,
          // Suppresses automatic replies.
          headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
          disableFileAccess: true,
          disableUrlAccess: true,
          signal: AbortSignal.any([signal, AbortSignal.timeout(MAIL_TIMEOUT_MS)]),
        });
        return { outcome: 'sent' };
      } catch (error) {
        return handoverOf(error as NodemailerError);
      }
    },
    close: () => transport.close({ force: true }),
  };
}

/** Converts the domain to punycode. */
function deliverable({ name, address }: MailAddress): MailAddress {
  return { name, address: withAsciiDomain(address) };
}

/** Prevents header injection: nodemailer does not check addresses. */
function faultOf({ id, to, subject }: Mail): string | undefined {
  if (!isEmail(to.address)) return 'address';
  if (!isOneLine(to.name)) return 'name';
  if (!isOneLine(subject)) return 'subject';
  return /^[\w.-]+$/.test(id) ? undefined : 'id';
}

/**
 * Only an answer to the mail itself is a permanent rejection: else a wrong password or a stopping
 * server would lose mails.
 */
function handoverOf({ code = 'unknown', responseCode, permanent }: NodemailerError): Handover {
  const isAboutMail = code === 'EENVELOPE' || code === 'EMESSAGE';
  const answer = responseCode === undefined ? [] : [String(responseCode)];
  const reason = (isAboutMail && answer[0]) || [code, ...answer].join(' ');
  if (isAboutMail && permanent === true) return { outcome: 'refused', reason };
  const unreachable = !isAboutMail || responseCode === NOT_AVAILABLE;
  return { outcome: 'put-off', reason, unreachable };
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
