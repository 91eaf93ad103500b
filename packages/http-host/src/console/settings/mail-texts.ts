/** Settings: what the ledger's own mails say, by what they are about. */
import { MailProfile } from '@counterfoil/core';
import { Language } from '@counterfoil/engine/input';
import { z } from 'zod';
import { text } from '../../api/wire.ts';
import { Refusal, refuse } from '../../http/errors.ts';
import {
  Before,
  changedIn,
  changedOnce,
  compared,
  type Texts,
  withUnixLines,
} from '../compared.ts';
import { type Again, consoleForm, consoleFrame, consolePage, type Visit } from '../slice.ts';
import { PATHS, tabsOf } from './tabs.ts';

const READ = 'mails:read';
const WRITE = 'mails:write';
const PATH = PATHS.mailTexts;
const OF_KIND = `${PATH}/{kind}`;
const Params = z.object({ kind: z.enum(MailProfile.KINDS) });

const KINDS = {
  refunded: ['Refund', 'Where the refund was asked for with a mail to the customer'],
  unsubscribed: ['Subscription ended', 'Where it was ended with a mail to the customer'],
  'rebill-failed': ['Rebill failed', 'Where the dunning policy has it'],
  frozen: ['Subscription frozen', 'Where the dunning policy has it'],
  renewed: ['Subscription renewed', 'Where the dunning policy has it'],
  invited: ['Invitation', 'To a user who is invited'],
  'password-reset': ['Lost password', 'To a user who asked for another password'],
} as const satisfies Record<MailProfile.Kind, readonly [title: string, sent: string]>;

function hrefOf(visit: Visit, kind: MailProfile.Kind, more = ''): string {
  return visit.href(`${PATH}/${kind}${more}`);
}

const LANGUAGE = [{ name: 'language', label: 'Language' }];

const list = consolePage({
  path: PATH,
  title: 'Texts of mails',
  scope: READ,
  template: '/settings/mail-texts',
  async load(visit, { again }) {
    const { texts, language } = await visit.ledger.mailSettings.get();
    const { values, conflicts, before } = compared({
      fields: LANGUAGE,
      now: { language },
      again,
      enteredOf: (given) => ({ language: String(given['language'] ?? '') }),
    });
    return {
      tabs: tabsOf(visit, PATH),
      kinds: MailProfile.KINDS.map((kind) => ({
        title: KINDS[kind][0],
        sent: KINDS[kind][1],
        subject: texts[kind]?.subject,
        href: hrefOf(visit, kind),
      })),
      language: values['language'],
      conflicts,
      hidden: { before },
      mayChange: visit.may(WRITE),
      action: visit.href(PATH),
    };
  },
});

const changeLanguage = consoleForm({
  name: 'change-mail-language',
  path: PATH,
  scope: WRITE,
  body: z.object({ language: Language, before: Before }),
  page: list,
  async act(visit, { body: { language, before } }) {
    const { mailSettings } = visit.ledger;
    const { language: now, rowVersion } = await mailSettings.get();
    return changedOnce(visit, {
      fields: LANGUAGE,
      before,
      entered: { language },
      now: { language: now },
      what: 'language',
      to: visit.href(PATH),
      act: () => mailSettings.change({ language, rowVersion }),
    });
  },
});

const WORDS = [
  { name: 'subject', label: 'Subject' },
  { name: 'text', label: 'Text' },
  {
    name: 'isOwn',
    label: 'Whose text',
    shown: (isOwn: string) => (isOwn === '' ? 'Built in' : 'Your own'),
  },
];

/** As the form sends it: from then on it is the company's own. */
function wordsIn({ subject = '', text: lines = '' }: Again['values']): Texts {
  return { subject: String(subject), text: withUnixLines(String(lines)), isOwn: 'yes' };
}

/** The text of a kind as it is now: that of the company, else the built-in one. */
async function wordsNow({ ledger: { mailSettings } }: Visit, kind: MailProfile.Kind) {
  const [{ texts, rowVersion }, { variables, builtIn }] = await Promise.all([
    mailSettings.get(),
    mailSettings.preview({ kind }),
  ]);
  const isOwn = texts[kind] !== undefined;
  const { subject, text: lines } = texts[kind] ?? builtIn;
  const now: Texts = { subject, text: lines, isOwn: isOwn ? 'yes' : '' };
  return { isOwn, now, rowVersion, variables };
}

const CHANGE = 'change-mail-text';

const detail = consolePage({
  path: OF_KIND,
  title: 'Text of a mail',
  scope: READ,
  params: Params,
  template: '/settings/mail-text',
  hasFrame: true,
  async load(visit, { params: { kind }, again }) {
    const { isOwn, now, variables } = await wordsNow(visit, kind);
    const { values, conflicts, before } = compared({
      fields: WORDS,
      now,
      again: again?.name === CHANGE ? again : undefined,
      enteredOf: wordsIn,
    });
    return {
      tabs: tabsOf(visit, PATH),
      back: visit.href(PATH),
      title: KINDS[kind][0],
      sent: KINDS[kind][1],
      isOwn,
      words: values,
      conflicts,
      hidden: { before },
      variables: Object.entries(variables).map(([name, value]) => ({ name, value })),
      mayChange: visit.may(WRITE),
      action: hrefOf(visit, kind),
      shown: hrefOf(visit, kind, '/preview'),
      reset: hrefOf(visit, kind, '/reset'),
    };
  },
});

const change = consoleForm({
  name: CHANGE,
  path: OF_KIND,
  scope: WRITE,
  params: Params,
  body: z.object({
    subject: text(MailProfile.MAX_SUBJECT_LENGTH).min(1),
    text: z.string().min(1).max(MailProfile.MAX_TEXT_LENGTH),
    before: Before,
  }),
  page: detail,
  async act(visit, { params: { kind }, body: { before, ...given } }) {
    const { now, rowVersion } = await wordsNow(visit, kind);
    const texts = { [kind]: inUnixLines(given) };
    return changedOnce(visit, {
      fields: WORDS,
      before,
      entered: wordsIn(given),
      now,
      what: 'text',
      to: hrefOf(visit, kind),
      notice: 'From now on it is sent with this text.',
      act: () => atItsField(visit, () => visit.ledger.mailSettings.change({ texts, rowVersion })),
    });
  },
});

const reset = consoleForm({
  name: 'reset-mail-text',
  path: `${OF_KIND}/reset`,
  scope: WRITE,
  params: Params,
  body: z.object({ before: Before }),
  page: detail,
  async act(visit, { params: { kind }, body: { before } }) {
    const { mailSettings } = visit.ledger;
    const { isOwn, now, rowVersion } = await wordsNow(visit, kind);
    if (isOwn && changedIn(WORDS, { entered: now, before }).length > 0) {
      throw refuse(
        'stale_row_version',
        'Somebody else has changed the text, and it was not dropped. This is how it is now.',
      );
    }
    if (isOwn) await mailSettings.change({ texts: { [kind]: null }, rowVersion });
    return { to: hrefOf(visit, kind), notice: 'From now on it is sent with the built-in text.' };
  },
});

const saved = consoleFrame({
  path: `${OF_KIND}/preview`,
  scope: READ,
  params: Params,
  html: async (visit, { params: { kind } }) =>
    (await visit.ledger.mailSettings.preview({ kind })).html,
});

/** What is in the fields, before it is kept: sent into the frame of the page, where no page may be shown. */
const tried = consoleForm({
  name: 'preview-mail-text',
  path: `${OF_KIND}/preview`,
  scope: READ,
  params: Params,
  body: z.object({
    subject: z.string().default(''),
    text: z.string().default(''),
    before: z.string().optional(),
  }),
  page: detail,
  async act(visit, { params: { kind }, body: { subject, text: given } }) {
    try {
      const own = inUnixLines({ subject, text: given });
      return { html: (await visit.ledger.mailSettings.preview({ kind, own })).html };
    } catch (error) {
      const refusal = visit.services.refusalOf(error);
      if (refusal === undefined) throw error;
      return { html: faultsAsHtml(refusal) };
    }
  },
});

function inUnixLines({ subject, text: lines }: MailProfile.Text): MailProfile.Text {
  return { subject, text: withUnixLines(lines) };
}

/** A fault of a template is shown where it was entered, rather than where settings have it. */
async function atItsField<Answer>(visit: Visit, run: () => Promise<Answer>): Promise<Answer> {
  try {
    return await run();
  } catch (error) {
    const refusal = visit.services.refusalOf(error);
    if (!(refusal instanceof Refusal) || refusal.code !== 'invalid_request') throw error;
    const errors = (refusal.errors ?? []).map(({ pointer, detail: fault }) => ({
      pointer: `/${pointer.split('/').at(-1)}`,
      detail: fault,
    }));
    throw refuse('invalid_request', undefined, { errors });
  }
}

/** Its words are of the host, but for nothing of the template. */
function faultsAsHtml({ errors = [], message }: Refusal): string {
  const lines = errors.length === 0 ? [message] : errors.map(({ detail: fault }) => fault);
  const paragraphs = lines.map((line) => `<p>${escaped(line)}</p>`);
  return `<!doctype html><meta charset="utf-8"><title>Not shown</title>${paragraphs.join('')}`;
}

function escaped(plain: string): string {
  return plain.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

export const MAIL_TEXT_PAGES = [list, detail];
export const MAIL_TEXT_FORMS = [changeLanguage, change, reset, tried];
export const MAIL_TEXT_FRAMES = [saved];
