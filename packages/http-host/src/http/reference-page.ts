/** The reference page: the OpenAPI document as one static page without scripts or external resources. */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Eta } from 'eta';
import { z } from 'zod';
import { type Endpoint, endpoint, type RequestContext } from './endpoint.ts';
import { ERRORS } from './errors.ts';
import type { OpenApiDocument } from './openapi.ts';
import { type Field, fieldsOf, type Schema, Schemas } from './schema-fields.ts';
import { NOT_MODIFIED, StaticText } from './static-text.ts';

type Operation = NonNullable<NonNullable<OpenApiDocument['paths']>[string]['get']>;

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'options'] as const;

const JSON_TYPE = 'application/json';

/** What the template shows of an operation. */
interface OperationView {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly paragraphs: readonly string[];
  readonly headers: readonly string[];
  readonly parameters: readonly Field[];
  readonly body: readonly Field[];
  readonly responses: readonly ResponseView[];
  readonly errors: readonly { readonly code: string; readonly status: string }[];
  readonly curl: string;
}

interface ResponseView {
  readonly status: string;
  readonly description: string;
  readonly fields: readonly Field[];
}

/** The page and its Content-Security-Policy. */
export interface ReferencePage {
  readonly html: string;
  readonly contentSecurityPolicy: string;
}

/** Renders the page of a document. */
export function renderReferencePage(document: OpenApiDocument): ReferencePage {
  const css = read('reference-page.css');
  const operations = operationsOf(document);
  const groups = (document.tags ?? []).map(({ name, description }) => ({
    name,
    slug: slugOf(name),
    description: description ?? '',
    operations: operations.filter(({ tags }) => tags.includes(name)).map(({ view }) => view),
  }));
  // Every value in our template is escaped, except our own style sheet.
  const html = new Eta({ autoEscape: true }).renderString(read('reference-page.eta'), {
    css,
    info: document.info,
    introduction: paragraphsOf(document.info.description ?? ''),
    groups,
    errors: Object.entries(ERRORS).map(([code, row]) => ({ code, ...row })),
  });
  return { html: withCode(html), contentSecurityPolicy: policyFor(css) };
}

/** Descriptions mark code with backticks; the text is escaped already. */
function withCode(html: string): string {
  return html.replace(/`([^`<>\n]+)`/g, '<code>$1</code>');
}

/** Allows nothing but this style sheet. */
function policyFor(css: string): string {
  const digest = hash('sha256', css, 'base64');
  return [
    "default-src 'none'",
    `style-src 'sha256-${digest}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function operationsOf(document: OpenApiDocument): { tags: string[]; view: OperationView }[] {
  const schemas = new Schemas(document);
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      if (operation === undefined) return [];
      return [{ tags: operation.tags ?? [], view: viewOf({ method, path, operation, schemas }) }];
    }),
  );
}

interface Place {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  readonly schemas: Schemas;
}

function viewOf({ method, path, operation, schemas }: Place): OperationView {
  const { operationId = '', summary = '', description = '' } = operation;
  const body = operation.requestBody;
  const bodySchema = body !== undefined && 'content' in body ? schemaIn(body.content) : undefined;
  const headers = securityHeaders(operation);
  const responses = Object.entries(operation.responses ?? {});
  return {
    id: operationId,
    method: method.toUpperCase(),
    path,
    summary,
    paragraphs: paragraphsOf(description),
    headers,
    parameters: parametersOf(operation, schemas),
    body: fieldsOf(bodySchema, schemas),
    responses: responses
      .filter(([status]) => Number(status) < 300 || !isError(responses, status))
      .map(([status, response]) => ({
        status,
        description: response.description ?? '',
        fields: fieldsOf(contentSchema(response), schemas),
      })),
    errors: responses.flatMap(([status, response]) =>
      Object.keys(examplesOf(response)).map((code) => ({ code, status })),
    ),
    curl: curlOf({
      method,
      target: withIds(path) + requiredQueryOf(operation),
      headers,
      content: fileOf(body) ?? jsonOf(exampleOf(body) ?? schemas.example(bodySchema)),
    }),
  };
}

type Response = NonNullable<Operation['responses']>[string];

/** Errors of the layer have examples named after their codes; other responses do not. */
function isError(responses: readonly (readonly [string, Response])[], status: string): boolean {
  const response = responses.find(([each]) => each === status)?.[1];
  return response !== undefined && Object.keys(examplesOf(response)).length > 0;
}

function examplesOf(response: Response): object {
  const content = 'content' in response ? response.content?.[JSON_TYPE] : undefined;
  return content !== undefined && 'examples' in content ? (content.examples ?? {}) : {};
}

function contentSchema(response: Response): Schema | undefined {
  return 'content' in response ? schemaIn(response.content) : undefined;
}

function schemaIn(content: Readonly<Record<string, object>> | undefined): Schema | undefined {
  const media = content?.[JSON_TYPE];
  return media !== undefined && 'schema' in media ? (media.schema as Schema) : undefined;
}

function parametersOf(operation: Operation, schemas: Schemas): Field[] {
  return (operation.parameters ?? []).flatMap((parameter) => {
    if (!('name' in parameter)) return [];
    const { name, description, required = false } = parameter;
    const schema = (parameter.schema ?? {}) as Schema;
    return [
      {
        name,
        where: parameter.in,
        type: schemas.typeOf(schema),
        required,
        description: description ?? schema.description ?? '',
      },
    ];
  });
}

/** The authentication headers of an operation. */
function securityHeaders(operation: Operation): string[] {
  const names: Record<string, string> = {
    apiKey: 'Authorization: $API_KEY',
    clientId: 'ClientId: $CLIENT_ID',
    userEmail: 'UserEmail: $USER_EMAIL',
    paymentKey: 'X-Service-Payment-Key: $PAYMENT_KEY',
    leadSecret: 'Authorization: Bearer $LEAD_SECRET_KEY',
    tenantKey: 'X-Tenant-Key: $TENANT_KEY',
  };
  return Object.keys(operation.security?.[0] ?? {}).map((scheme) => names[scheme] ?? scheme);
}

/** A body, for a here document. */
interface Content {
  readonly mediaType: string;
  readonly text: string;
}

interface Call {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly string[];
  readonly content: Content | undefined;
}

/** A command to paste. Values that differ between callers are shell variables. */
function curlOf({ method, target, headers, content }: Call): string {
  const verb = method === 'get' ? '' : ` -X ${method.toUpperCase()}`;
  const lines = [`curl${verb} "$BASE_URL${target}"`];
  // A preflight is about an origin, and so is a key for pages.
  const isOfPage = method === 'options' || headers.some((each) => each.includes('$PAYMENT_KEY'));
  const sent = isOfPage ? [...headers, 'Origin: $ORIGIN'] : headers;
  for (const header of sent) lines.push(`-H "${header}"`);
  if (content === undefined) return lines.join(' \\\n  ');
  lines.push(`-H 'Content-Type: ${content.mediaType}'`, '--data-binary @- <<EOF');
  return `${lines.join(' \\\n  ')}\n${content.text}\nEOF`;
}

const QUERY_VARIABLES: Readonly<Record<string, string>> = {
  key: '$PAYMENT_KEY',
  origin: '$ORIGIN',
};

/** The query parameters without which there is no answer, by their examples. */
function requiredQueryOf({ parameters = [] }: Operation): string {
  const pairs = parameters.flatMap((parameter) => {
    if (!('name' in parameter) || parameter.in !== 'query' || !parameter.required) return [];
    const { example } = (parameter.schema ?? {}) as Schema & { readonly example?: unknown };
    const value = QUERY_VARIABLES[parameter.name] ?? encodeURIComponent(String(example));
    return [`${parameter.name}=${value}`];
  });
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** `/v1/payments/{id}` as `/v1/payments/$PAYMENT_ID`; after another variable by its own name. */
function withIds(path: string): string {
  const segments = path.split('/');
  return segments
    .map((segment, index) => {
      if (!segment.startsWith('{')) return segment;
      const before = segments[index - 1] ?? '';
      if (before.startsWith('{')) return `$${constantOf(segment.slice(1, -1))}`;
      const one = before.replace(/ies$/, 'y').replace(/s$/, '');
      return `$${one.replaceAll('-', '_').toUpperCase()}_ID`;
    })
    .join('/');
}

/** `merchantAccountId` as `MERCHANT_ACCOUNT_ID`. */
function constantOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

/** Body members that identify the caller or a transaction. */
const VARIABLES: Readonly<Record<string, string>> = {
  parentCompanyId: '$CLIENT_ID',
  userEmail: '"$USER_EMAIL"',
  messageId: '"$PAYMENT_ID"',
  clientSecret: '"$CLIENT_SECRET"',
};

/** The body for a here document, where the shell would expand `$`, backticks and backslashes. */
function bodyText(example: unknown): string {
  if (typeof example !== 'object' || example === null || Array.isArray(example)) {
    return JSON.stringify(example, null, 2);
  }
  const members = Object.entries(example).map(([name, value]) => {
    const text = JSON.stringify(value).replaceAll(/[\\$`]/g, '\\$&');
    const variable = isPayment(name, value) ? '"$PAYMENT_ID"' : VARIABLES[name];
    return `${JSON.stringify(name)}: ${variable ?? text}`;
  });
  return members.length === 0 ? '{}' : `{\n  ${members.join(',\n  ')}\n}`;
}

/** Messages have ids as well, which their senders choose. */
function isPayment(name: string, value: unknown): boolean {
  return name === 'id' && z.guid().safeParse(value).success;
}

function jsonOf(example: unknown): Content | undefined {
  return example === undefined ? undefined : { mediaType: JSON_TYPE, text: bodyText(example) };
}

/** Of a body that is a file. */
function fileOf(body: Operation['requestBody']): Content | undefined {
  if (body === undefined || !('content' in body) || JSON_TYPE in body.content) return undefined;
  const [[mediaType, media] = ['', {}]] = Object.entries(body.content);
  return { mediaType, text: 'example' in media ? String(media.example).trimEnd() : '' };
}

function exampleOf(body: Operation['requestBody']): unknown {
  const media = body !== undefined && 'content' in body ? body.content[JSON_TYPE] : undefined;
  return media !== undefined && 'example' in media ? media.example : undefined;
}

function paragraphsOf(text: string): string[] {
  return text.split(/\n{2,}/).filter((paragraph) => paragraph.trim() !== '');
}

function slugOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}

function read(file: string): string {
  return readFileSync(new URL(file, import.meta.url), 'utf8');
}

function pageOf(document: OpenApiDocument) {
  const { html, contentSecurityPolicy } = renderReferencePage(document);
  const text = new StaticText(html, { contentType: 'text/html; charset=utf-8' });
  return { text, headers: { 'Content-Security-Policy': contentSecurityPolicy } };
}

/** The endpoints that show the page, at /docs and at the root. */
export function referencePageEndpoints(document: () => OpenApiDocument): Endpoint[] {
  let page: { readonly text: StaticText; readonly headers: Record<string, string> } | undefined;
  const shared = {
    method: 'GET',
    tag: 'Operations',
    summary: 'This reference',
    description: 'The interface for readers: every operation, field and error code.',
    access: { kind: 'public' },
    responses: {
      200: { description: 'The page', schema: z.string(), contentType: 'text/html' },
      304: NOT_MODIFIED,
    },
    rejections: [],
    idempotency: 'none',
    version: 'cached',
    handle: async (context: RequestContext) => {
      page ??= pageOf(document());
      return page.text.answer(context, page.headers);
    },
  } as const;
  return [
    endpoint({ ...shared, operationId: 'getReferencePage', path: '/docs' }),
    endpoint({
      ...shared,
      operationId: 'getRoot',
      path: '/',
      summary: 'This reference, at the root',
    }),
  ];
}
