/** Signing in and out, and the links of invitations and lost passwords. */
import { randomBytes } from 'node:crypto';
import { TenantId } from '@counterfoil/core';
import { Refused } from '@counterfoil/engine';
import type { RefusalOf } from '../../api/slice.ts';
import { addressOf } from '../../api/wire.ts';
import {
  type Endpoint,
  endpoint,
  type HandlerResult,
  type RequestContext,
} from '../../http/endpoint.ts';
import { type Refusal, refuse } from '../../http/errors.ts';
import { pageAnswer, redirection } from '../answers.ts';
import { Cookies } from '../cookies.ts';
import { CONSOLE_ENDPOINT, FORM_BODY, PAGE, type Values } from '../endpoint-base.ts';
import { formToken, isFormToken, isOwnOrigin } from '../form-guard.ts';
import type { ConsoleServices, Problem } from '../slice.ts';

const HOME = '/console/live/overview';
const SIGN_IN = '/console/sign-in';
const WELCOME = '/console/welcome';
const VISITOR_BYTES = 32;
const MAX_AGENT_LENGTH = 200;

export function entranceEndpoints(services: ConsoleServices): Endpoint[] {
  const page = (path: string, summary: string, handle: Endpoint['handle']): Endpoint =>
    endpoint({
      ...CONSOLE_ENDPOINT,
      operationId: `show ${path}`,
      method: 'GET',
      path,
      summary,
      responses: { 200: PAGE },
      handle,
    });
  const form = (path: string, summary: string, act: Act): Endpoint =>
    endpoint({
      ...CONSOLE_ENDPOINT,
      ...FORM_BODY,
      operationId: `send ${path}`,
      method: 'POST',
      path,
      summary,
      responses: { 200: PAGE, 303: { description: 'To the console' } },
      async handle(context, { body }) {
        if (!isOwnOrigin(context, services)) {
          throw refuse('origin_not_allowed', 'The form was sent from another site');
        }
        const cookies = new Cookies(context, services.publicUrl);
        const { token, ...values } = body;
        return act({ services, context, cookies, token, values });
      },
    });
  const queryOf = ({ query }: { query: unknown }) => query as Values;
  return [
    page('/console', 'The console', async () => redirection(HOME)),
    page(SIGN_IN, 'Sign in', async (context, input) =>
      entrance({ services, context, template: '/sign-in/sign-in', values: queryOf(input) }),
    ),
    form(SIGN_IN, 'Sign in', signIn),
    page(WELCOME, 'Set a password', async (context, input) =>
      entrance({ services, context, template: '/sign-in/welcome', values: queryOf(input) }),
    ),
    form(WELCOME, 'Set a password', setPassword),
    form('/console/sign-out', 'Sign out', signOut),
  ];
}

interface Sent {
  readonly services: ConsoleServices;
  readonly context: RequestContext;
  readonly cookies: Cookies;
  readonly token: unknown;
  readonly values: Values;
}
type Act = (sent: Sent) => Promise<HandlerResult>;

interface Entrance {
  readonly services: ConsoleServices;
  readonly context: RequestContext;
  readonly template: string;
  readonly values: Values;
  readonly problems?: readonly Problem[];
  readonly status?: number;
  /** Of the second step. */
  readonly proof?: string;
  /** After too many failures in a row. */
  readonly retryAt?: string;
}

/** A page for those who are not signed in. */
function entrance({ services, context, template, status = 200, ...data }: Entrance) {
  const cookies = new Cookies(context, services.publicUrl);
  const known = cookies.get('visitor');
  const visitor = known ?? randomBytes(VISITOR_BYTES).toString('base64url');
  const token = formToken(services, visitor);
  return pageAnswer({
    status,
    template,
    data: { title: 'Sign in', problems: [], proof: undefined, retryAt: undefined, token, ...data },
    ...(known === undefined && { headers: cookies.set('visitor', visitor) }),
  });
}

function checkToken({ services, cookies, token }: Sent, name: 'visitor' | 'session'): void {
  const secret = cookies.get(name);
  if (secret !== undefined && isFormToken(services, secret, token)) return;
  throw refuse('origin_not_allowed', 'The form is not of this session: go back and reload');
}

async function signIn(sent: Sent): Promise<HandlerResult> {
  checkToken(sent, 'visitor');
  const { services, context, cookies, values } = sent;
  const again = (problems: readonly Problem[], status: number, proof?: string) =>
    entrance({
      ...{ services, context, template: '/sign-in/sign-in', values, problems, status },
      ...(proof !== undefined && { proof }),
    });
  const request = requestOf(sent);
  if (Array.isArray(request)) return again(request, 400);
  const given = textIn(values, 'proof') === '' ? undefined : textIn(values, 'proof');
  if (cookies.isSecure && context.origin?.startsWith('http:') === true) {
    return again([problem('Open the console by https: your browser keeps no session else')], 400);
  }
  try {
    const { token } = await services.signIns.signIn(request);
    return redirection(nextOf(values), cookies.set('session', token));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (error.code === 'SecondFactorRequired') {
      const { proof } = await services.signIns.provePassword(request);
      return again([], 200, proof);
    }
    if (isDelayed(error)) {
      const { retryAt } = error.refusal;
      const status = statusOf(error, services);
      return entrance({ services, context, template: '/sign-in/sign-in', values, retryAt, status });
    }
    if (error.code === 'SignInRefused') {
      const tooMany = await services.rateLimits.failed(context.remoteAddress);
      if (tooMany !== undefined) throw tooMany;
    }
    return again([problem(textOf(error, services))], statusOf(error, services), given);
  }
}

function isDelayed(error: Refused): error is Refused<RefusalOf<'SignInDelayed'>> {
  return error.code === 'SignInDelayed';
}

/** What is missing, or what to sign in with. */
function requestOf({ context, values }: Sent) {
  const companyId = TenantId.safeParse(Number(textIn(values, 'company')));
  const email = textIn(values, 'email').trim();
  const password = textIn(values, 'password');
  const proof = textIn(values, 'proof');
  const code = textIn(values, 'code').replaceAll(/\s/g, '');
  const problems: Problem[] = [];
  if (!companyId.success) problems.push(problem('Enter the number of the company', 'company'));
  if (email === '') problems.push(problem('Enter your email', 'email'));
  if (password === '' && proof === '') problems.push(problem('Enter your password', 'password'));
  if (proof !== '' && code === '') problems.push(problem('Enter the code', 'code'));
  if (problems.length > 0 || !companyId.success) return problems;
  return {
    tenantId: companyId.data,
    email,
    password: proof === '' ? password : { proof },
    ...(code !== '' && { code }),
    address: addressOf(context),
    agent: (context.userAgent ?? '').slice(0, MAX_AGENT_LENGTH),
  };
}

async function setPassword(sent: Sent): Promise<HandlerResult> {
  checkToken(sent, 'visitor');
  const { services, context, values, cookies } = sent;
  const password = textIn(values, 'password');
  const shared = { services, context, template: '/sign-in/welcome', values };
  if (password !== textIn(values, 'repeated')) {
    const problems = [problem('The two passwords differ', 'repeated')];
    return entrance({ ...shared, problems, status: 400 });
  }
  try {
    await services.signIns.setPassword(textIn(values, 'link'), password);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const problems = [problem(textOf(error, services), 'password')];
    return entrance({ ...shared, problems, status: statusOf(error, services) });
  }
  return redirection(SIGN_IN, cookies.set('notice', 'The password is set. Sign in with it.'));
}

async function signOut(sent: Sent): Promise<HandlerResult> {
  const { services, cookies } = sent;
  // Signed out in another window.
  if (cookies.get('session') === undefined) return redirection(SIGN_IN);
  checkToken(sent, 'session');
  const session = await services.signIns.session(cookies.get('session') ?? '');
  if (session !== undefined) await services.signIns.signOut(session, session.sessionId);
  return redirection(SIGN_IN, cookies.set('session', ''));
}

/** Only to a page of the console. */
function nextOf(values: Values): string {
  const next = textIn(values, 'next');
  const base = 'https://console.invalid';
  if (!/^\/console\/(live|test)\//.test(next) || !URL.canParse(next, base)) return HOME;
  const { origin, pathname, search } = new URL(next, base);
  return origin === base && pathname.startsWith('/console/') ? pathname + search : HOME;
}

function textIn(values: Values, name: string): string {
  const value = values[name];
  return typeof value === 'string' ? value : '';
}

function problem(text: string, field = ''): Problem {
  return { field, text };
}

function refusalOf(error: Refused, { refusalOf: convert }: ConsoleServices): Refusal {
  return convert(error) ?? refuse('internal_error');
}

function textOf(error: Refused, services: ConsoleServices): string {
  return refusalOf(error, services).message;
}

/** A browser must not take it for a page that is not there. */
function statusOf(error: Refused, services: ConsoleServices): number {
  const { status } = refusalOf(error, services);
  return status === 404 ? 400 : status;
}
