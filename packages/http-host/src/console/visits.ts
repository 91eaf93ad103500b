/** Who is signed in, by the cookie of a request, and what frames the pages that they see. */
import type { Environment } from '@counterfoil/engine';
import { addressOf } from '../api/wire.ts';
import type { RequestContext } from '../http/endpoint.ts';
import { OPERATOR_SCOPE } from '../operator/operators.ts';
import { Cookies } from './cookies.ts';
import { formToken } from './form-guard.ts';
import type { ConsoleServices, Visit } from './slice.ts';
import { CONSOLE } from './slices.ts';

export interface SignedInVisit {
  readonly visit: Visit;
  readonly cookies: Cookies;
  /** The token of the session: its forms are signed by it. */
  readonly secret: string;
  readonly tenantName: string;
}

/** Undefined without a session, or with one that is over. */
export async function visitOf(
  services: ConsoleServices,
  context: RequestContext,
  environment: Environment,
): Promise<SignedInVisit | undefined> {
  const cookies = new Cookies(context, services.publicUrl);
  const secret = cookies.get('session');
  const session = secret && (await services.signIns.session(secret));
  if (!session) return undefined;
  const { tenantId, userId, sessionId } = session;
  const user = (await services.users.state(tenantId)).users.get(userId);
  const known = user && (await services.users.known(tenantId, user.email));
  if (user === undefined || known === undefined) return undefined;
  const tenant = await services.tenants.tenant(tenantId);
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
    may: (scope) =>
      scope === OPERATOR_SCOPE
        ? services.operations.isOperator({ tenantId, email: user.email })
        : known.scopes.has(scope),
    href: (path) => pathIn(environment, path),
  };
  return { visit, cookies, secret, tenantName: tenant?.name ?? `Company ${tenantId}` };
}

export function pathIn(environment: Environment, path: string): string {
  return `/console/${environment}${path}`;
}

/** What the template of the frame shows around a page. */
export function frameOf({ visit, cookies, secret, tenantName }: SignedInVisit, path: string) {
  const { environment, user, tenantId, services } = visit;
  const sections = CONSOLE.flatMap(({ nav }) => {
    if (nav === undefined || (nav.scope !== undefined && !visit.may(nav.scope))) return [];
    if (nav.anyOf?.some((scope) => visit.may(scope)) === false) return [];
    const isCurrent = path === nav.path || path.startsWith(`${nav.path}/`);
    const { title, key } = nav;
    return [{ title, key, href: visit.href(nav.path), isCurrent, path: nav.path }];
  });
  const section = sections.find(({ isCurrent }) => isCurrent)?.path ?? path;
  return {
    environment,
    isSandbox: environment === 'test',
    tenantName,
    tenantId,
    user,
    sections,
    /** The same section in the other data: a record there has another id. */
    switches: { live: pathIn('live', section), test: pathIn('test', section) },
    token: formToken(services, secret),
    notice: cookies.get('notice'),
  };
}
