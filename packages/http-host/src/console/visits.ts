/** Who is signed in, by the cookie of a request, and what frames the pages that they see. */
import type { Environment, Visitor } from '@counterfoil/engine';
import { LRUCache } from 'lru-cache';
import { addressOf } from '../api/wire.ts';
import type { RequestContext } from '../http/endpoint.ts';
import { OPERATOR_SCOPE } from '../operator/operators.ts';
import { Cookies } from './cookies.ts';
import { formToken } from './form-guard.ts';
import { keptFor } from './remembered.ts';
import type { ConsoleServices, Visit } from './slice.ts';
import { CONSOLE } from './slices.ts';

export interface SignedInVisit {
  readonly visit: Visit;
  readonly cookies: Cookies;
  /** The token of the session: its forms are signed by it. */
  readonly secret: string;
  readonly session: Visitor['session'];
  readonly tenantName: string;
  readonly seen: Seen;
}

/** Undefined without a session, or with one that is over. */
export async function visitOf(
  services: ConsoleServices,
  context: RequestContext,
  environment: Environment,
): Promise<SignedInVisit | undefined> {
  const cookies = new Cookies(context, services.publicUrl);
  const secret = cookies.get('session');
  const visitor = secret && (await services.signIns.visitor(secret));
  if (!visitor) return undefined;
  const { session, user, scopes } = visitor;
  const { tenantId, userId, sessionId } = session;
  const tenant = await services.tenants.tenant(tenantId);
  const isOperator = services.operations.isOperator({ tenantId, email: user.email });
  const visit: Visit = {
    context,
    services,
    ledger: services.ledgers.as({
      tenantId,
      environment,
      actor: user.email,
      requestId: context.requestId,
      remoteAddress: addressOf(context),
      ...(context.traceparent !== undefined && { traceparent: context.traceparent }),
    }),
    environment,
    tenantId,
    user: { id: userId, email: user.email, name: user.name },
    sessionId,
    may: mayOf(scopes, isOperator),
    href: (path) => pathIn(environment, path),
  };
  const seen = (isOperator ? SEEN.byOperators : SEEN.byOthers)(scopes);
  const tenantName = tenant?.name ?? `Company ${tenantId}`;
  return { visit, cookies, secret, session, tenantName, seen };
}

type Scopes = Visitor['scopes'];

function mayOf(scopes: Scopes, isOperator: boolean): Visit['may'] {
  return (scope) => (scope === OPERATOR_SCOPE ? isOperator : scopes.has(scope));
}

export function pathIn(environment: Environment, path: string): string {
  return `/console/${environment}${path}`;
}

/** What the template of the frame shows around a page. */
export function frameOf(signedIn: SignedInVisit, path: string) {
  const { visit, cookies, tenantName, seen } = signedIn;
  const { environment, user, tenantId } = visit;
  const sections = sectionsOf(seen, environment, path);
  return {
    environment,
    isSandbox: environment === 'test',
    tenantName,
    tenantId,
    user,
    sections,
    /** The same section in the other data: a record there has another id. */
    switches: { live: pathIn('live', sections.path), test: pathIn('test', sections.path) },
    token: tokenOf(signedIn),
    notice: cookies.get('notice'),
  };
}

const NAVIGATION = CONSOLE.flatMap(({ nav }) => nav ?? []);

/** The sections that a user may see, and all their keys in one text. */
interface Seen {
  readonly list: typeof NAVIGATION;
  readonly keys: string;
}

/** By what a user may do: users come with the same set until it changes. */
const SEEN = {
  byOperators: keptFor((scopes: Scopes) => seenBy(mayOf(scopes, true))),
  byOthers: keptFor((scopes: Scopes) => seenBy(mayOf(scopes, false))),
};

function seenBy(may: Visit['may']): Seen {
  const list = NAVIGATION.filter(
    ({ scope, anyOf }) => (scope === undefined || may(scope)) && anyOf?.some(may) !== false,
  );
  return { list, keys: list.map(({ key }) => key).join('') };
}

/** More are not remembered at once: the pages, and the roles that see other sections. */
const SECTIONS = new LRUCache<string, Sections>({ max: 1_000 });
type Sections = ReturnType<typeof sectionsIn>;

/** The same object for the same sections. */
function sectionsOf({ list, keys }: Seen, environment: Environment, path: string): Sections {
  const name = `${environment} ${path} ${keys}`;
  const known = SECTIONS.get(name);
  if (known !== undefined) return known;
  const sections = sectionsIn(list, environment, path);
  SECTIONS.set(name, sections);
  return sections;
}

function sectionsIn(seen: Seen['list'], environment: Environment, path: string) {
  const list = seen.map(({ title, key, path: of }) => ({
    title,
    key,
    href: pathIn(environment, of),
    isCurrent: path === of || path.startsWith(`${of}/`),
    path: of,
  }));
  return { list, path: list.find(({ isCurrent }) => isCurrent)?.path ?? path };
}

/** Of sessions as they are remembered: each has one secret. */
const TOKENS = new WeakMap<Visitor['session'], string>();

function tokenOf({ visit: { services }, session, secret }: SignedInVisit): string {
  let token = TOKENS.get(session);
  if (token === undefined) {
    token = formToken(services, secret);
    TOKENS.set(session, token);
  }
  return token;
}
