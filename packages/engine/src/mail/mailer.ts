/** Hands mails to an SMTP server, and says what became of each. */
import { isEmail, withAsciiDomain } from '@counterfoil/core';
import nodemailer, { type NodemailerError } from 'nodemailer';
import { isOneLine, type MailAddress, type MailSettings } from './mail-settings.ts';

const MAX_CONNECTIONS = 4;
const MAX_MAILS_A_CONNECTION = 100;
const CONNECT_TIMEOUT_MS = 10_000;
/** Servers that suspect a sender let it wait. */
const SILENCE_TIMEOUT_MS = 30_000;
/** A server that goes on saying nothing of use is never silent. */
const MAIL_TIMEOUT_MS = 60_000;
const IDLE_MS = 10_000;
const MAX_RESPONSE_BYTES = 65_536;
/** A connection that had gone when it was to be used again is replaced, before a byte was sent. */
const MAX_NEW_CONNECTIONS = 1;

/** RFC 5321: this server takes no mail now, whoever it is for. */
const NOT_AVAILABLE = 421;

/** What goes out, in both parts. */
export interface Mail {
  /** The same each time that this mail is handed over: receivers know a repetition by it. */
  readonly id: string;
  readonly to: MailAddress;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** ISO 8601. */
  readonly date: string;
}

/**
 * `sent`: the server has taken it. `refused`: it will never take this one. `put-off`: it may later;
 * with `unreachable` that is about the server, not about this mail. A `put-off` may have been taken
 * after all, when the connection broke before the answer came. Reasons are codes and name nobody.
 */
export type Handover =
  | { readonly outcome: 'sent' }
  | { readonly outcome: 'refused'; readonly reason: string }
  | { readonly outcome: 'put-off'; readonly reason: string; readonly unreachable: boolean };

export interface Mailer {
  /** Gives up when `signal` fires: the mail is then put off. */
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
      // A password is never sent in the open, except where nobody can listen.
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
  // A connection that breaks while it is idle is no mail's concern; without a listener it would be the process's.
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
          // Nobody's holiday notice shall answer a machine.
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

/** Mail servers know domains by their punycode. */
function deliverable({ name, address }: MailAddress): MailAddress {
  return { name, address: withAsciiDomain(address) };
}

/** Nothing of a mail may end its header and begin another: nodemailer takes addresses as they are. */
function faultOf({ id, to, subject }: Mail): string | undefined {
  if (!isEmail(to.address)) return 'address';
  if (!isOneLine(to.name)) return 'name';
  if (!isOneLine(subject)) return 'subject';
  return /^[\w.-]+$/.test(id) ? undefined : 'id';
}

/**
 * Only an answer to the mail itself can refuse it for good: a wrong password or a server that shuts
 * down would else lose every mail of that time.
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
