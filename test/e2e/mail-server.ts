/** A mail server on a free port, which stores accepted mails and refuses as configured. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface TakenMail {
  readonly from: string;
  readonly to: readonly string[];
  /** As it came over the wire. */
  readonly source: string;
  readonly parsed: ParsedMail;
}

/** An answer other than yes: its code and its text. */
export interface Refusal {
  readonly code: number;
  readonly message: string;
}

export interface MailServerOptions {
  readonly port?: number;
  readonly smtp?: Partial<SMTPServerOptions>;
}

export class MailServer {
  readonly mails: TakenMail[] = [];
  /** The recipients of all delivery attempts. */
  readonly offers: string[] = [];
  /** Answers to the next mails, in order, after all of it was sent; `undefined` is yes. */
  readonly afterData: (Refusal | undefined)[] = [];
  /** Answers to the next recipients. */
  readonly toRecipients: (Refusal | undefined)[] = [];
  /** For this many of the next mails the connection is closed. */
  dropNext = 0;
  /** Called when a mail was handed over, before anything is answered. */
  onOffer: (mail: TakenMail) => Promise<void> | void = () => {};
  readonly #server: SMTPServer;
  #port = 0;

  private constructor(options: Partial<SMTPServerOptions>) {
    this.#server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      logger: false,
      onRcptTo: (_address, _session, answer) => answer(errorOf(this.toRecipients.shift())),
      onData: (stream, session, answer) => {
        const from = session.envelope.mailFrom === false ? '' : session.envelope.mailFrom.address;
        const to = session.envelope.rcptTo.map(({ address }) => address);
        this.offers.push(...to);
        text(stream)
          .then(async (source) => {
            const mail = { from, to, source, parsed: await simpleParser(source) };
            await this.onOffer(mail);
            if (this.dropNext > 0) {
              this.dropNext -= 1;
              // Not the others: a mail that was just taken would lose its answer.
              for (const each of this.#server.connections) if (each.id === session.id) each.close();
              return;
            }
            const refusal = this.afterData.shift();
            if (refusal !== undefined) return answer(errorOf(refusal));
            this.mails.push(mail);
            return answer();
          })
          .catch((error: Error) => answer(error));
      },
      ...options,
    });
    // A client that goes away is what some tests are about.
    this.#server.on('error', () => {});
  }

  static async start({ port = 0, smtp = {} }: MailServerOptions = {}): Promise<MailServer> {
    const server = new MailServer(smtp);
    const listening = server.#server.listen(port, '127.0.0.1');
    await once(listening, 'listening');
    server.#port = (listening.address() as AddressInfo).port;
    return server;
  }

  get port(): number {
    return this.#port;
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.#port}`;
  }

  /** Ends all connections, as a server does with idle ones. */
  dropConnections(): void {
    for (const connection of this.#server.connections) connection.close();
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
    });
  }
}

function errorOf(refusal: Refusal | undefined): Error | null {
  if (refusal === undefined) return null;
  return Object.assign(new Error(refusal.message), { responseCode: refusal.code });
}
