/** What needs a person: each with how many there are, as far as the first page says. */
import { filterOf, PATH as MAILS, SCOPE as MAILS_SCOPE } from '../mails/words.ts';
import { PATH as OPERATIONS, SCOPE as OPERATOR, PARKED } from '../operations/words.ts';
import { PATH as SETTLEMENTS, SCOPE as SETTLEMENTS_SCOPE } from '../settlements/slice.ts';
import type { Visit } from '../slice.ts';
import { SCOPE as TRANSACTIONS } from '../transactions/list.ts';
import { UNANSWERED_PATH } from '../transactions/unanswered.ts';
import { endpointsOf } from '../webhooks/endpoints.ts';
import { PATH as WEBHOOKS } from '../webhooks/words.ts';

const MOST = 20;
/** A read model that has not applied an event for so long is behind. */
const BEHIND_SECONDS = 60;

export interface Need {
  readonly title: string;
  /** What to do about it. */
  readonly text: string;
  /** Where they are listed, if anywhere. */
  readonly href: string | undefined;
  readonly count: number;
  /** There are more than `count`. */
  readonly isMore: boolean;
}

/** How many, and a page that lists them better than that of the kind. */
type Look = (visit: Visit) => Promise<number | { readonly count: number; readonly path: string }>;

interface NeedKind extends Pick<Need, 'title' | 'text'> {
  readonly scope: string;
  /** The page of the console that lists them. */
  readonly path?: string;
  readonly look: Look;
}

const KINDS: readonly NeedKind[] = [
  {
    title: 'Payments without an answer',
    text: 'Their gateway is asked again by itself for five days: look at those that have waited longer.',
    scope: TRANSACTIONS,
    path: UNANSWERED_PATH,
    async look({ ledger }) {
      return (await ledger.transactions.unanswered({ limit: MOST + 1 })).items.length;
    },
  },
  {
    title: 'Settlement lines that match nothing',
    text: 'Compare them with the file of the acquirer.',
    scope: SETTLEMENTS_SCOPE,
    path: SETTLEMENTS,
    async look({ ledger }) {
      return (await ledger.settlements.unmatched({ limit: MOST + 1 })).items.length;
    },
  },
  {
    title: 'Mails that failed',
    text: 'Look at the answer of the mail server, and at the address.',
    scope: MAILS_SCOPE,
    path: `${MAILS}?status=failed`,
    look: failedMails,
  },
  {
    title: 'Webhooks that were given up',
    text: 'Mend the endpoint, and replay them.',
    scope: 'webhooks:read',
    path: WEBHOOKS,
    look: deadWebhooks,
  },
  {
    title: 'Streams that are parked',
    text: 'Their events could not be applied to a read model. Mend the cause, and try them again.',
    scope: OPERATOR,
    path: PARKED,
    async look({ services: { operations } }) {
      return (await operations.parked.list()).items.length;
    },
  },
  {
    title: 'Read models that are behind',
    text: 'What they show is old. Look at the health checks and at the log of the host.',
    scope: OPERATOR,
    path: OPERATIONS,
    async look({ services: { operations } }) {
      const { readModels } = await operations.state();
      return readModels.filter(
        ({ isReady, lag }) => !isReady || (lag?.seconds ?? 0) > BEHIND_SECONDS,
      ).length;
    },
  },
];

async function failedMails({ ledger }: Visit): Promise<number> {
  const asked = { ...filterOf('failed'), limit: MOST + 1 };
  return (await ledger.mails.list(asked)).mails.length;
}

/** Over all endpoints; where they are of one, its page lists them. */
async function deadWebhooks(visit: Visit) {
  const { webhooks } = visit.ledger;
  const endpoints = (await endpointsOf(visit)).filter(({ direction }) => direction === 'out');
  const counts = await Promise.all(
    endpoints.map(async ({ id }) => {
      const dead = await webhooks.deliveries(id, { status: 'dead', limit: MOST + 1 });
      return { id, count: dead.items.length };
    }),
  );
  const some = counts.filter(({ count }) => count > 0);
  const count = some.reduce((sum, each) => sum + each.count, 0);
  const [only] = some.length === 1 ? some : [];
  return { count, path: only === undefined ? WEBHOOKS : `${WEBHOOKS}/${only.id}?status=dead` };
}

/** Those that the user may look at. */
export async function needsOf(visit: Visit): Promise<readonly Need[]> {
  const kinds = KINDS.filter(({ scope }) => visit.may(scope));
  return Promise.all(
    kinds.map(async ({ title, text, path, look }) => {
      const looked = await look(visit);
      const found = typeof looked === 'number' ? looked : looked.count;
      const shown = typeof looked === 'number' ? path : looked.path;
      const href = shown && visit.href(shown);
      return { title, text, href, count: Math.min(found, MOST), isMore: found > MOST };
    }),
  );
}
