/** Mails: what was sent to whom, what became of it, what it says as long as that is kept; sent again. */
import { randomUUID } from 'node:crypto';
import type { MailView, TenantLedger } from '@counterfoil/engine';
import { IN_ORDER, inOrder, MAIL_KINDS } from '@counterfoil/engine/input';
import { z } from 'zod';
import { cursorOf, inCursor } from '../../api/cursor.ts';
import { bounded, Day, Email, Uuid } from '../../api/wire.ts';
import { refuse } from '../../http/errors.ts';
import { addressWith } from '../list-address.ts';
import {
  type ConsolePage,
  consoleForm,
  consoleFrame,
  consolePage,
  consoleSlice,
  type Visit,
} from '../slice.ts';
import {
  filterOf,
  KINDS,
  mailHref,
  OUTCOMES,
  PATH,
  SCOPE,
  SHOWN_STATUS,
  STATES,
  stateOf,
} from './words.ts';

const WRITE_SCOPE = 'mails:write';
const PAGE_SIZE = 25;
const MailParams = z.object({ id: Uuid });
const Place = z.strictObject({ createdAt: bounded(64), id: bounded(64) });

const filters = {
  to: Email.optional(),
  status: z.enum(SHOWN_STATUS).optional(),
  kind: z.enum(MAIL_KINDS).optional(),
  dateFrom: Day.optional(),
  dateTo: Day.optional(),
};
const Listed = z.object({ ...filters, after: bounded(1_000).optional() }).refine(inOrder, IN_ORDER);

function personsOf(persons: MailView['to']): string {
  return persons.map(({ name, address }) => (name ? `${name} <${address}>` : address)).join(', ');
}

const list = consolePage({
  path: PATH,
  title: 'Mails',
  scope: SCOPE,
  query: Listed,
  isList: true,
  template: '/mails/list',
  async load(visit, { query: { after, ...filter } }) {
    const { status, ...others } = filter;
    const page = await visit.ledger.mails.list({
      ...others,
      ...(status !== undefined && filterOf(status)),
      limit: PAGE_SIZE,
      ...(after !== undefined && { after: inCursor(after, Place) }),
    });
    const base = visit.href(PATH);
    return {
      filter,
      isFiltered: Object.keys(filter).length > 0,
      statuses: SHOWN_STATUS.map((value) => ({ value, label: STATES[value].text })),
      kinds: MAIL_KINDS.map((value) => ({ value, label: KINDS[value] })),
      action: base,
      mails: page.mails.map((mail) => ({
        ...mail,
        kind: KINDS[mail.kind],
        recipients: personsOf(mail.to),
        state: stateOf(mail),
        href: mailHref(visit, mail.id),
      })),
      first: after === undefined ? undefined : addressWith(base, filter),
      next:
        page.moreResults && page.end
          ? addressWith(base, { ...filter, after: cursorOf(page.end) })
          : undefined,
    };
  },
});

/** Refuses a mail of the other data. */
async function mailOf(visit: Visit, id: string): Promise<MailView> {
  const found = await visit.ledger.mails.get(id);
  if (found.sandbox !== (visit.environment === 'test')) throw refuse('not_found');
  return found;
}

async function bodyOf(
  visit: Visit,
  id: string,
): Promise<Awaited<ReturnType<TenantLedger['mails']['body']>>> {
  await mailOf(visit, id);
  return visit.ledger.mails.body(id);
}

function hrefOf(visit: Visit, id: string, more = ''): string {
  return visit.href(`${PATH}/${id}${more}`);
}

/** Whether it is worth asking for; the ledger knows what keeps a mail from being sent again. */
function maySendAgain(visit: Visit, { kind, status }: MailView, hasBody: boolean): boolean {
  const isEnded = status === 'sent' || status === 'failed';
  const hasLink = kind === 'invited' || kind === 'password-reset';
  return visit.may(WRITE_SCOPE) && isEnded && !hasLink && (kind !== 'submitted' || hasBody);
}

const detail: ConsolePage = consolePage({
  path: `${PATH}/{id}`,
  title: 'Mail',
  scope: SCOPE,
  params: MailParams,
  template: '/mails/mail',
  hasFrame: true,
  async load(visit, { params: { id }, again }) {
    const [mail, body] = await Promise.all([mailOf(visit, id), bodyOf(visit, id)]);
    return {
      title: mail.subject || KINDS[mail.kind],
      mail,
      kind: KINDS[mail.kind],
      state: stateOf(mail),
      people: [
        { label: 'From', value: mail.from === null ? '' : personsOf([mail.from]) },
        { label: 'To', value: personsOf(mail.to) },
        { label: 'Copy', value: personsOf(mail.cc) },
        { label: 'Hidden copy', value: personsOf(mail.bcc) },
      ].filter(({ value }) => value !== ''),
      history: mail.history.map((each) => ({ ...each, ...OUTCOMES[each.outcome] })).toReversed(),
      text: body?.text,
      problems: again?.problems,
      consequences: [
        `${personsOf([...mail.to, ...mail.cc, ...mail.bcc]) || 'Its recipient'} gets it once more, as a new mail with a history of its own.`,
        ...(mail.kind === 'submitted' ? [] : ['It is written again, and says what is so now.']),
      ],
      mayResend: maySendAgain(visit, mail, body !== null),
      // The same form sends one mail, however often it is sent.
      hidden: { key: String(again?.values['key'] ?? randomUUID()) },
      addresses: {
        list: visit.href(PATH),
        html: hrefOf(visit, id, '/html'),
        resend: hrefOf(visit, id, '/resend'),
        resentFrom: mail.resentFrom && hrefOf(visit, mail.resentFrom),
      },
    };
  },
});

const resend = consoleForm({
  name: 'resend-mail',
  path: `${PATH}/{id}/resend`,
  scope: WRITE_SCOPE,
  params: MailParams,
  body: z.object({ key: Uuid }),
  page: detail,
  async act(visit, { params: { id }, body: { key: idempotencyKey } }) {
    await mailOf(visit, id);
    const made = await visit.ledger.mails.resend(id, { idempotencyKey });
    return { to: hrefOf(visit, made.id), notice: 'It is sent again: as this mail.' };
  },
});

const html = consoleFrame({
  path: `${PATH}/{id}/html`,
  scope: SCOPE,
  params: MailParams,
  html: async (visit, { params: { id } }) => (await bodyOf(visit, id))?.html,
});

export const MAILS = consoleSlice({
  nav: { title: 'Mails', key: 'm', path: PATH, scope: SCOPE },
  pages: [list, detail],
  forms: [resend],
  frames: [html],
});
