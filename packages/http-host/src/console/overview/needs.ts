/** What needs a person: each with how many there are, as far as the first page says. */
import type { Visit } from '../slice.ts';

const MOST = 20;
const MAX_ENDPOINTS = 20;

export interface Need {
  readonly title: string;
  /** What to do about it. */
  readonly text: string;
  readonly count: number;
  /** There are more than `count`. */
  readonly isMore: boolean;
}

type Look = (visit: Visit) => Promise<number>;

const LOOKS: readonly (Pick<Need, 'title' | 'text'> & { scope: string; look: Look })[] = [
  {
    title: 'Settlement lines that match nothing',
    text: 'Compare them with the file of the acquirer.',
    scope: 'settlements:read',
    async look({ ledger }) {
      return (await ledger.settlements.unmatched({ limit: MOST + 1 })).items.length;
    },
  },
  {
    title: 'Mails that failed',
    text: 'Look at the answer of the mail server, and at the address.',
    scope: 'mails:read',
    async look({ ledger }) {
      return (await ledger.mails.list({ status: 'failed', limit: MOST + 1 })).mails.length;
    },
  },
  {
    title: 'Webhooks that were given up',
    text: 'Mend the endpoint, and replay them.',
    scope: 'webhooks:read',
    async look({ ledger }) {
      const { items } = await ledger.webhookEndpoints.list({ limit: MAX_ENDPOINTS });
      const pages = items.map(({ id }) =>
        ledger.webhooks.deliveries(id, { status: 'dead', limit: MOST + 1 }),
      );
      return (await Promise.all(pages)).reduce((sum, page) => sum + page.items.length, 0);
    },
  },
];

/** Those that the user may look at. */
export async function needsOf(visit: Visit): Promise<readonly Need[]> {
  const looks = LOOKS.filter(({ scope }) => visit.may(scope));
  return Promise.all(
    looks.map(async ({ title, text, look }) => {
      const found = await look(visit);
      return { title, text, count: Math.min(found, MOST), isMore: found > MOST };
    }),
  );
}
