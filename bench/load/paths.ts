/** The measured paths: their requests, and the expected content of responses. */
import { pickOf, randomOf } from '../data/random.ts';
import type { HostUnderLoad } from './host.ts';
import { TENANT_ID, USER_EMAIL } from './host-data.ts';
import type { Job, PageRequests, Payers } from './job.ts';

export const CONNECTIONS = 64;

const CONSOLE = '/console/live';

export const LEADS_PATH = '/api/public/customer-leads';

/** Enough not to be answered from caches, and few enough to send to the load process at once. */
const LISTED = 20_000;

/** With headers of its own, or those of the host's callers. */
export type Path = Pick<Job, 'path' | 'status' | 'requests'> & Partial<Pick<Job, 'headers'>>;

const FLAGS = { getSearchData: true, getAddressData: true };
const ALL_FLAGS = { ...FLAGS, getSubscription: true, getSessionData: true };

/** Details of random payments, with the record and the addresses. */
export function detailPath(ids: readonly string[], seed: number, flags: object = FLAGS): Path {
  const wanted = sample(ids, seed);
  const claims = { parentCompanyId: TENANT_ID, userEmail: USER_EMAIL };
  return {
    path: '/customerapi/detail',
    status: 200,
    requests: {
      kind: 'listed',
      bodies: wanted.map((id) => JSON.stringify({ ...claims, id, ...flags })),
      markers: wanted.map((id) => `"messageID":"${id}"`),
    },
  };
}

/** The transactions of random customers. */
export function searchPath(emails: readonly string[], seed: number): Path {
  const wanted = sample(emails, seed);
  return {
    path: '/api/transactions/search',
    status: 200,
    requests: {
      kind: 'listed',
      bodies: wanted.map((email) => JSON.stringify({ emails: [email] })),
      markers: wanted.map((email) => `"email":"${email}"`),
    },
  };
}

/** The same with all that a detail has. */
export function wholeDetailPath(ids: readonly string[], seed: number): Path {
  return detailPath(ids, seed, ALL_FLAGS);
}

/** The calls of the interface that give, together, what a page of the console shows: the main one first. */
export type Calls = readonly [Path, ...Path[]];

/** Of the page of a payment: its detail, sums, events, journal entries, emails and webhooks. */
export function detailCallPaths(ids: readonly string[], seed: number): Calls {
  const wanted = sample(ids, seed);
  const sums = getPath('/v1/payments/', {
    paths: wanted.map((id) => `/v1/payments/${id}`),
    markers: wanted,
  });
  const parts = ['events', 'entries', 'emails', 'webhooks'].map((part) => {
    const paths = wanted.map((id) => `/api/transactions/${id}/${part}`);
    return getPath(`/api/transactions//${part}`, { paths, markers: paths.map(() => SUCCESS) });
  });
  return [wholeDetailPath(ids, seed), sums, ...parts];
}

/**
 * Of the page of a search: what is found, the saved searches of the user, and what its filters offer to choose
 * from.
 */
export function searchCallPaths(emails: readonly string[], seed: number): Calls {
  const chosen = ['merchantaccounts', 'companies', 'applications', 'products', 'campaigns'];
  const lists = ['savedsearches', ...chosen].map((list) => {
    const path = `/api/admin/${list}`;
    return getPath(path, { paths: [path], markers: [SUCCESS] });
  });
  return [searchPath(emails, seed), ...lists];
}

const SUCCESS = '"success":true';

function getPath(path: string, requests: Pick<PageRequests, 'paths' | 'markers'>): Path {
  return { path, status: 200, requests: { kind: 'pages', ...requests } };
}

/** The pages of the same payments in the console. */
export function consoleDetailPath(ids: readonly string[], seed: number, cookie: string): Path {
  const wanted = sample(ids, seed);
  return pagesPath(`${CONSOLE}/transactions/`, cookie, wanted);
}

/** The same searches in the console. */
export function consoleSearchPath(emails: readonly string[], seed: number, cookie: string): Path {
  const wanted = sample(emails, seed);
  return pagesPath(`${CONSOLE}/transactions?emails=`, cookie, wanted);
}

function pagesPath(path: string, cookie: string, wanted: readonly string[]): Path {
  const paths = wanted.map((each) => path + encodeURIComponent(each));
  const markers = wanted.map((each) => `>${each}<`);
  return { ...getPath(path, { paths, markers }), headers: { Cookie: cookie } };
}

export function paymentPath(firstOrder: number, payers: Payers = 'known'): Path {
  const requests = { kind: 'payments', firstOrder, payers } as const;
  return { path: '/v1/payments', status: 201, requests };
}

export function leadPath(firstLead: number, headers: Job['headers']): Path {
  const requests = { kind: 'leads', firstLead } as const;
  return { path: LEADS_PATH, status: 201, requests, headers };
}

export function jobOf(
  path: Path,
  { headers }: Pick<HostUnderLoad, 'headers'>,
  to: { readonly port: number; readonly durationMs: number },
): Job {
  return { headers, ...path, ...to, connections: CONNECTIONS };
}

/** Sampled with replacement. */
function sample(from: readonly string[], seed: number): string[] {
  const random = randomOf(seed);
  return Array.from({ length: LISTED }, () => pickOf(random, from));
}
