/** The endpoints of the console: of its pages, forms and files, and of signing in. */
import type { Environment } from '@counterfoil/engine';
import {
  type Endpoint,
  endpoint,
  type HandlerResult,
  type RequestContext,
} from '../http/endpoint.ts';
import { Refusal, refuse } from '../http/errors.ts';
import { readInput } from '../http/invalid-input.ts';
import { OPERATOR_SCOPE } from '../operator/operators.ts';
import { frameAnswer, pageAnswer, redirection, refusalPage } from './answers.ts';
import { assetEndpoint } from './assets.ts';
import { CONSOLE_ENDPOINT, FORM_BODY, PAGE, type Values } from './endpoint-base.ts';
import { loadedList, queryOf, withoutEmpty } from './filters.ts';
import { isFormToken, isOwnOrigin } from './form-guard.ts';
import { problemOf, problemsOf } from './problems.ts';
import { entranceEndpoints } from './sign-in/entrance.ts';
import type {
  Again,
  ConsoleFile,
  ConsoleForm,
  ConsoleFrame,
  ConsolePage,
  ConsoleServices,
  Problem,
  SentFile,
} from './slice.ts';
import { CONSOLE } from './slices.ts';
import { multipart, uploadedForm } from './uploads.ts';
import { frameOf, type SignedInVisit, visitOf } from './visits.ts';

const ROOT = '/console/{environment}';
export function consoleEndpoints(services: ConsoleServices): Endpoint[] {
  return [
    ...knownEndpoints(services),
    nowhere(services, `${ROOT}/*`),
    nowhere(services, '/console/*'),
  ];
}

function knownEndpoints(services: ConsoleServices): Endpoint[] {
  return [
    assetEndpoint(),
    ...entranceEndpoints(services),
    ...CONSOLE.flatMap(({ pages, forms = [], files = [], frames = [] }) => [
      ...pages.map((page) => pageEndpoint(page, services)),
      ...forms.map((form) => formEndpoint(form, services)),
      ...files.map((file) => fileEndpoint(file, services)),
      ...frames.map((frame) => frameEndpoint(frame, services)),
    ]),
  ];
}

/** Every address of the console, for tests that go through all of them. */
export function consoleRoutes(): readonly Pick<Endpoint, 'method' | 'path' | 'upload'>[] {
  // Services are for handlers only.
  const endpoints = knownEndpoints({} as ConsoleServices);
  return endpoints.map(({ method, path, upload }) => ({
    method,
    path,
    ...(upload !== undefined && { upload }),
  }));
}

interface RawInput {
  readonly params: Record<string, string>;
  readonly query: Values;
}

function pageEndpoint(page: ConsolePage, services: ConsoleServices): Endpoint {
  return endpoint({
    ...CONSOLE_ENDPOINT,
    operationId: `show ${page.path || '/'}`,
    method: 'GET',
    path: `${ROOT}${page.path}`,
    refusalPage: refusalIn(services, page.path),
    summary: page.title,
    responses: { 200: PAGE },
    async handle(context, { params, query }) {
      const { scope, path } = page;
      return withVisit(services, context, { params, query, scope, path }, (signedIn) =>
        shownPage(page, signedIn, { params, query }),
      );
    },
  });
}

function formEndpoint(form: ConsoleForm, services: ConsoleServices): Endpoint {
  const { file } = form;
  if (file !== undefined) return uploadEndpoint({ ...form, file }, services);
  return endpoint({
    ...CONSOLE_ENDPOINT,
    ...FORM_BODY,
    operationId: `send ${form.path}`,
    method: 'POST',
    path: `${ROOT}${form.path}`,
    refusalPage: refusalIn(services, form.page.path),
    summary: form.name,
    responses: { 200: PAGE, 303: { description: 'To the page that shows what became of it' } },
    async handle(context, { params, query, body: fields }) {
      checkOrigin(services, context);
      return takeForm(form, services, context, { params, query, fields });
    },
  });
}

/** A form with a file. Who is not signed in is refused before anything is received. */
function uploadEndpoint(
  form: ConsoleForm & Required<Pick<ConsoleForm, 'file'>>,
  services: ConsoleServices,
): Endpoint {
  return endpoint({
    ...CONSOLE_ENDPOINT,
    operationId: `send ${form.path}`,
    method: 'POST',
    path: `${ROOT}${form.path}`,
    refusalPage: refusalIn(services, form.page.path),
    summary: form.name,
    upload: multipart(form.file.maxBytes),
    responses: { 200: PAGE, 303: { description: 'To the page that shows what became of it' } },
    async admit(context) {
      checkOrigin(services, context);
      if ((await visitOf(services, context, 'live')) === undefined) {
        throw refuse('origin_not_allowed', 'You are not signed in any more: sign in and try again');
      }
    },
    async handle(context, { params, query }) {
      const { fields, file } = await uploadedForm(context.content(), form.file.field);
      return takeForm(form, services, context, { params, query, fields, file });
    },
  });
}

function checkOrigin(services: ConsoleServices, context: RequestContext): void {
  if (isOwnOrigin(context, services)) return;
  throw refuse('origin_not_allowed', 'The form was sent from another site');
}

interface TakenForm extends RawInput {
  readonly fields: Values;
  readonly file?: SentFile | undefined;
}

async function takeForm(
  form: ConsoleForm,
  services: ConsoleServices,
  context: RequestContext,
  { params, query, fields, file }: TakenForm,
): Promise<HandlerResult> {
  // Whoever has to sign in comes back to the page of the form, with what its address has.
  const asked = { params, query, scope: form.scope, path: form.page.path };
  return withVisit(services, context, asked, async (signedIn) => {
    const { token, ...values } = fields;
    if (!isFormToken(services, signedIn.secret, token)) {
      throw refuse('origin_not_allowed', 'The form is not of this session: go back and reload');
    }
    return sent(form, signedIn, { params, query, values, file });
  });
}

async function sent(
  form: ConsoleForm,
  signedIn: SignedInVisit,
  {
    values,
    file,
    ...input
  }: RawInput & { readonly values: Values; readonly file: SentFile | undefined },
): Promise<HandlerResult> {
  const { visit, cookies } = signedIn;
  const filled = withoutEmpty(values);
  const { data: body, errors } =
    form.body === undefined ? { errors: [] } : readInput(form.body, filled, 'body');
  let problems: readonly Problem[] = errors.map((error) => problemOf(error));
  let status = 400;
  if (problems.length === 0) {
    try {
      const outcome = await form.act(visit, { params: paramsOf(form, input), body, file });
      if ('to' in outcome) {
        const { to, notice } = outcome;
        return redirection(to, notice === undefined ? {} : cookies.set('notice', notice));
      }
      if ('html' in outcome) return frameAnswer(outcome.html);
      const { template, title, data, status: shownStatus = 200 } = outcome;
      const frame = frameOf(signedIn, form.page.path);
      return pageAnswer({ status: shownStatus, template, data: { frame, title, ...data } });
    } catch (error) {
      const refusal = error instanceof Refusal ? error : visit.services.refusalOf(error);
      if (refusal === undefined || refusal.code === 'not_found') throw error;
      status = refusal.status;
      problems = problemsOf(refusal);
    }
  }
  const again = { name: form.name, values, problems };
  return shownPage(form.page, signedIn, { ...input, query: {} }, { again, status });
}

async function shownPage(
  page: ConsolePage,
  signedIn: SignedInVisit,
  { params, query }: RawInput,
  { again, status }: { readonly again?: Again; readonly status?: number } = {},
): Promise<HandlerResult> {
  const { visit, cookies } = signedIn;
  const input = { params: paramsOf(page, { params }), again };
  const { data, wrong } = await loadedList(page, query, (asked) =>
    page.load(visit, { ...input, query: asked }),
  );
  const frame = frameOf(signedIn, page.path);
  return pageAnswer({
    template: page.template,
    data: { frame, title: page.title, again, wrong, ...data },
    hasFrame: page.hasFrame,
    status: status ?? (wrong === undefined ? 200 : 400),
    // Said once.
    ...(frame.notice !== undefined && { headers: cookies.set('notice', '') }),
  });
}

/** An address with parameters that cannot be is of no page. */
function paramsOf(
  { params: schema }: Pick<ConsolePage, 'params'>,
  { params: { environment: _, ...given } }: Pick<RawInput, 'params'>,
): unknown {
  if (schema === undefined) return undefined;
  const { data, errors } = readInput(schema, given, 'path');
  if (errors.length > 0) throw refuse('not_found');
  return data;
}

function fileEndpoint(file: ConsoleFile, services: ConsoleServices): Endpoint {
  return endpoint({
    ...CONSOLE_ENDPOINT,
    operationId: `download ${file.path}`,
    method: 'GET',
    path: `${ROOT}${file.path}`,
    summary: file.fileName,
    responses: { 200: { ...PAGE, contentType: file.contentType } },
    async handle(context, { params, query }) {
      const { scope, path } = file;
      return withVisit(services, context, { params, query, scope, path }, async ({ visit }) => {
        const chunks = await file.chunks(visit, { query: queryOf(file, query).query });
        const headers = { 'Content-Disposition': `attachment; filename="${file.fileName}"` };
        return { status: 200, chunks, contentType: file.contentType, headers };
      });
    },
  });
}

function frameEndpoint(frame: ConsoleFrame, services: ConsoleServices): Endpoint {
  return endpoint({
    ...CONSOLE_ENDPOINT,
    operationId: `frame ${frame.path}`,
    method: 'GET',
    path: `${ROOT}${frame.path}`,
    summary: 'A document of others, within a page',
    responses: { 200: PAGE },
    async handle(context, { params, query }) {
      const { scope, path } = frame;
      return withVisit(services, context, { params, query, scope, path }, async ({ visit }) => {
        const html = await frame.html(visit, { params: paramsOf(frame, { params }) });
        if (html === undefined) throw refuse('not_found');
        return frameAnswer(html);
      });
    },
  });
}

/** A stray card number is refused before the handler: in the frame of the console too, with the way back. */
function refusalIn(services: ConsoleServices, path: string): NonNullable<Endpoint['refusalPage']> {
  return (refusal, requestId, { context, params }) => {
    const environment = params['environment'];
    const isFramed = refusal.code === 'card_invalid';
    if (!isFramed || (environment !== 'live' && environment !== 'test')) {
      return refusalPage(refusal, requestId);
    }
    const { errors = [] } = refusal;
    // An address that holds the number leads nowhere.
    const isInPath = errors.some(({ pointer }) => pointer.startsWith('/path/'));
    const back = isInPath ? undefined : filledPath(path, params);
    const reasons = errors.map((error) => problemOf(error).text);
    return visitOf(services, context, environment).then(
      (signedIn) => {
        if (signedIn === undefined) return refusalPage(refusal, requestId);
        return refusalPage(refusal, requestId, { frame: frameOf(signedIn, path), back, reasons });
      },
      // Without the frame: the refusal counts for more.
      () => refusalPage(refusal, requestId),
    );
  };
}

function filledPath(path: string, params: Readonly<Record<string, string | undefined>>): string {
  return `${ROOT}${path}`.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  );
}

/** Of an address without a page: whoever follows an old link is told so, in the frame of the console. */
function nowhere(services: ConsoleServices, path: string): Endpoint {
  return endpoint({
    ...CONSOLE_ENDPOINT,
    operationId: `miss ${path}`,
    method: 'GET',
    path,
    summary: 'No page',
    responses: { 200: PAGE },
    async handle(context, { params: { environment } }) {
      const shown = environment === 'test' ? 'test' : 'live';
      const signedIn = await visitOf(services, context, shown);
      const frame = signedIn === undefined ? {} : { frame: frameOf(signedIn, '') };
      const refusal = refuse('not_found', 'The address leads nowhere: look for typing mistakes.');
      return refusalPage(refusal, context.requestId, frame);
    },
  });
}

interface Asked extends RawInput {
  readonly scope: string | undefined;
  /** Of the page, or of the page of the form. */
  readonly path: string;
}

/** Leads to the sign-in without a session; refuses what the user's roles do not allow. */
async function withVisit(
  services: ConsoleServices,
  context: RequestContext,
  asked: Asked,
  run: (signedIn: SignedInVisit) => Promise<HandlerResult>,
): Promise<HandlerResult> {
  const signedIn = await visitOf(services, context, environmentOf(asked.params));
  if (signedIn === undefined) return redirection(signInAddress(asked));
  try {
    checkScope(signedIn, asked.scope);
    return await run(signedIn);
  } catch (error) {
    const refusal = error instanceof Refusal ? error : services.refusalOf(error);
    if (refusal === undefined) throw error;
    return refusalPage(refusal, context.requestId, { frame: frameOf(signedIn, '') });
  }
}

function checkScope({ visit }: SignedInVisit, scope: string | undefined): void {
  if (scope === undefined || visit.may(scope)) return;
  if (scope === OPERATOR_SCOPE) {
    const message = 'The operators of the host are those that CONSOLE_OPERATORS names.';
    throw refuse('insufficient_scope', message);
  }
  const what = visit.services.permissions.get(scope) ?? 'It';
  throw refuse(
    'insufficient_scope',
    `${what}: your roles do not allow it (${scope}). An owner of the company can change that.`,
  );
}

function environmentOf({ environment }: Record<string, string>): Environment {
  if (environment !== 'live' && environment !== 'test') throw refuse('not_found');
  return environment;
}

function signInAddress({ path, params, query }: Asked): string {
  const filled = filledPath(path, params);
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((each): [string, string] => [name, each]),
  );
  const asked = pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
  return `/console/sign-in?${new URLSearchParams({ next: filled + asked })}`;
}
