/** The measured paths: their requests, and the expected content of responses. */
import { pickOf, randomOf } from '../data/random.ts';
import type { HostUnderLoad } from './host.ts';
import { TENANT_ID, USER_EMAIL } from './host-data.ts';
import type { Job, Payers } from './job.ts';

export const CONNECTIONS = 64;

const CONSOLE = '/console/live';

export const LEADS_PATH = '/api/public/customer-leads';

/** Enough not to be answered from caches, and few enough to send to the load process at once. */
const LISTED = 20_000;

/** With headers of its own, or those of the host's callers. */
type Path = Pick<Job, 'path' | 'status' | 'requests'> & Partial<Pick<Job, 'headers'>>;

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

/**
 * The calls of the interface that give, together, what the page of a payment shows: its detail, sums, events,
 * journal entries, emails and webhooks.
 */
export function pageCallPaths(ids: readonly string[], seed: number): readonly Path[] {
  const wanted = sample(ids, seed);
  const gets = ['/events', '/entries', '/emails', '/webhooks'].map((what) => ({
    of: (id: string) => `/api/transactions/${id}${what}`,
    says: () => '"success":true',
  }));
  const payment = { of: (id: string) => `/v1/payments/${id}`, says: (id: string) => id };
  return [
    wholeDetailPath(ids, seed),
    ...[payment, ...gets].map(({ of, says }) => ({
      path: of(''),
      status: 200,
      requests: { kind: 'pages', paths: wanted.map(of), markers: wanted.map(says) } as const,
    })),
  ];
}

/**
 * The same for the page of a search: what is found, the saved searches of the user, and what its filters offer
 * to choose from.
 */
export function searchCallPaths(emails: readonly string[], seed: number): readonly Path[] {
  const lists = ['merchantaccounts', 'companies', 'applications', 'products', 'campaigns'];
  return [
    searchPath(emails, seed),
    ...['savedsearches', ...lists].map((list) => ({
      path: `/api/admin/${list}`,
      status: 200,
      requests: {
        kind: 'pages',
        paths: [`/api/admin/${list}`],
        markers: ['"success":true'],
      } as const,
    })),
  ];
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
  return {
    path,
    status: 200,
    headers: { Cookie: cookie },
    requests: {
      kind: 'pages',
      paths: wanted.map((each) => path + encodeURIComponent(each)),
      markers: wanted.map((each) => `>${each}<`),
    },
  };
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
