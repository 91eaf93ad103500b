/** How one tenant's mails are sent, for one caller. */
import { MailProfile, Tenant } from '@counterfoil/core';
import type { Acting } from '../acting.ts';
import type { CommandRunner } from '../command-runner.ts';
import { uuidV7 } from '../ids.ts';
import type { CallInputs } from '../input/checked-calls.ts';
import { definedOf } from '../input/defined.ts';
import { type CredentialVault, MASK } from '../merchant-accounts/index.ts';
import { nothing, type RecordedCalls } from '../recorded-calls.ts';
import { refused } from '../refusal.ts';
import type { SenderDomains } from '../sender-domains/index.ts';
import { momentIn } from './letters.ts';
import { MailSettingsChange, MailTextInput } from './mail-input.ts';
import { sampleOf } from './sample-mails.ts';
import { faultInWords, parseTemplate } from './template-language.ts';
import type { Parts, Templates } from './templates.ts';

const SUBMISSION_PORT = 587;

type Texts = Readonly<Partial<Record<MailProfile.Kind, MailProfile.Text>>>;

export interface MailSettingsView extends Omit<MailProfile.State, 'smtp' | 'texts'> {
  /** In place of the built-in ones, by kind. */
  readonly texts: Texts;
  readonly smtp: {
    readonly host: string;
    readonly port: number;
    readonly secure: boolean;
    readonly user: string;
    /** Masked; empty where there is none. */
    readonly password: string;
  } | null;
}

/** A mail of the ledger as it would be sent, with sample values. */
export interface MailTextView extends Parts {
  readonly kind: MailProfile.Kind;
  /** What a text may name, with what the sample has for it. */
  readonly variables: Readonly<Record<string, string | boolean>>;
  /** The built-in text in the language of templates, its table in lines: to begin one's own with. */
  readonly builtIn: MailProfile.Text;
}

export interface MailSettingsServices {
  readonly commands: CommandRunner;
  readonly credentials: CredentialVault;
  readonly senderDomains: SenderDomains;
  readonly templates: Templates;
}

type Change = Omit<MailSettingsChange, 'rowVersion'>;

export class TenantMailSettings {
  readonly #services: MailSettingsServices;
  readonly #acting: Acting;

  constructor(services: MailSettingsServices, acting: Acting) {
    this.#services = services;
    this.#acting = acting;
  }

  async get(): Promise<MailSettingsView> {
    return viewOf(await this.#state());
  }

  /**
   * What is absent stays as it is. Refuses with `StaleRowVersion` where another `rowVersion` is given than
   * the present one, a sender outside the tenant's domains with `SenderUnauthorized`, a text that cannot be
   * rendered or an incomplete server with `MailInvalid`, and with `SmtpPasswordRequired` another server
   * that is to get the password of before.
   */
  async change({ rowVersion, ...change }: MailSettingsChange): Promise<MailSettingsView> {
    const { rowVersion: current, ...before } = await this.#state();
    const { tenantId, caller } = this.#acting;
    const { sender } = change;
    const { senderDomains, commands } = this.#services;
    if (sender && (await senderDomains.senderOf(tenantId, sender.address)) === undefined) {
      throw refused({ type: 'SenderUnauthorized' });
    }
    const command = {
      type: 'ChangeMailProfile',
      tenantId,
      ...this.#merged(before, change),
      rowVersion: rowVersion ?? current,
      at: commands.clock.now(),
    } as const;
    await commands.execute(MailProfile, command, { commandId: uuidV7() }, caller);
    return this.get();
  }

  /** Nothing is sent or kept. Refuses with `MailInvalid` a text that cannot be rendered. */
  async preview({ kind, own: given }: MailTextInput): Promise<MailTextView> {
    const { tenantId } = this.#acting;
    const { commands, templates } = this.#services;
    const profile = await this.#state();
    const tenant = await commands.stateOf(Tenant, Tenant.streamOf({ tenantId }));
    if (given) checkText('own', given);
    const own = given === undefined ? MailProfile.textOf(profile, kind) : (given ?? undefined);
    const { language } = profile;
    const sample = sampleOf(kind, tenant?.name ?? '', momentIn(language));
    return {
      kind,
      ...templates.ofKind(kind, { ...sample, language, own }),
      variables: templates.valuesOf(sample),
      builtIn: templates.asOwn(kind, sample),
    };
  }

  #merged(before: MailProfile.Settings, change: Change): MailProfile.Settings {
    const { sender, smtp, tracking, language = before.language, texts = {} } = change;
    return {
      sender: sender === undefined ? before.sender : namedOf(sender),
      smtp: smtp === undefined ? before.smtp : this.#smtpOver(before.smtp, smtp),
      tracking: { ...before.tracking, ...definedOf(tracking ?? {}) },
      language,
      texts: textsOver(before.texts, texts),
    };
  }

  #smtpOver(
    before: MailProfile.Settings['smtp'],
    given: (Change['smtp'] & object) | null,
  ): MailProfile.Settings['smtp'] {
    if (given === null) return null;
    const { host, port, secure, user, password } = { ...shownSmtp(before), ...definedOf(given) };
    if (host === undefined) throw invalid('smtp/host', 'is required');
    const kept = before?.sealedPassword ?? '';
    const isMasked = /^\*+$/.test(password ?? '');
    const isMoved = before !== null && (before.host !== host || before.port !== port);
    // Who may change the settings must not learn the password by sending it to a server of their own.
    if (isMasked && kept !== '' && isMoved) throw refused({ type: 'SmtpPasswordRequired' });
    const sealedPassword = this.#services.credentials.textOver(kept, password ?? '');
    if (sealedPassword === undefined) throw invalid('smtp/password', 'is masked, and none is kept');
    if ((sealedPassword === '') !== ((user ?? '') === '')) {
      throw invalid('smtp/user', 'goes with the password: both, or neither');
    }
    const rest = { port: port ?? SUBMISSION_PORT, secure: secure ?? false, user: user ?? '' };
    return { host, ...rest, sealedPassword };
  }

  #state(): Promise<MailProfile.State> {
    const { tenantId } = this.#acting;
    return this.#services.commands.stateOf(MailProfile, MailProfile.streamOf({ tenantId }));
  }
}

function namedOf(sender: MailSettingsChange['sender']): MailProfile.Settings['sender'] {
  return sender ? { name: sender.name ?? '', address: sender.address } : null;
}

function textsOver(
  before: MailProfile.Settings['texts'],
  change: MailSettingsChange['texts'] & object,
): MailProfile.Settings['texts'] {
  const texts = new Map(before.map((each) => [each.kind, each]));
  for (const [kind, text] of Object.entries(change) as [
    MailProfile.Kind,
    MailProfile.Text | null,
  ][]) {
    if (text === null) {
      texts.delete(kind);
      continue;
    }
    checkText(`texts/${kind}`, text);
    texts.set(kind, { kind, ...text });
  }
  return [...texts.values()].toSorted((one, other) => (one.kind < other.kind ? -1 : 1));
}

function checkText(path: string, { subject, text }: MailProfile.Text): void {
  for (const [member, source] of Object.entries({ subject, text })) {
    const read = parseTemplate(source);
    if (!('fault' in read)) continue;
    throw invalid(`${path}/${member}`, faultInWords(read.fault));
  }
}

function invalid(path: string, detail: string) {
  return refused({ type: 'MailInvalid', faults: [{ path, detail }] });
}

function shownSmtp(smtp: MailProfile.Settings['smtp']): Partial<MailSettingsView['smtp'] & object> {
  if (smtp === null) return {};
  const { sealedPassword, ...shown } = smtp;
  return { ...shown, password: sealedPassword === '' ? '' : MASK };
}

function viewOf({ smtp, texts, ...profile }: MailProfile.State): MailSettingsView {
  const byKind = texts.map(({ kind, ...text }) => [kind, text] as const);
  return {
    ...profile,
    smtp: smtp && (shownSmtp(smtp) as MailSettingsView['smtp']),
    texts: Object.fromEntries(byKind),
  };
}

export const MAIL_SETTINGS_INPUTS: CallInputs<TenantMailSettings> = {
  get: [],
  change: [MailSettingsChange],
  preview: [MailTextInput],
};

export const MAIL_SETTINGS_CALLS: RecordedCalls<TenantMailSettings> = { change: nothing };
