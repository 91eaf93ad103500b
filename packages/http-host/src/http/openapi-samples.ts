/** Samples of the document: a command to paste for each operation. */
import { z } from 'zod';
import type { createDocument } from 'zod-openapi';

type OpenApiDocument = ReturnType<typeof createDocument>;
type Operation = NonNullable<NonNullable<OpenApiDocument['paths']>[string]['get']>;

/** As readers of OpenAPI take samples that others have made. */
interface Sampled {
  'x-codeSamples'?: readonly { readonly lang: string; readonly label: string; source: string }[];
}

const JSON_TYPE = 'application/json';

/** Adds them, of the operations as they are by now. */
export function showSamples({ paths = {} }: OpenApiDocument): void {
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(item) as [string, Operation & Sampled][]) {
      const source = sampleOf({ method, path, operation });
      operation['x-codeSamples'] = [{ lang: 'shell', label: 'curl', source }];
    }
  }
}

interface Place {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

function sampleOf({ method, path, operation }: Place): string {
  const { requestBody: body } = operation;
  return curlOf({
    method,
    target: withIds(path) + requiredQueryOf(operation),
    headers: securityHeaders(operation),
    content: fileOf(body) ?? jsonOf(exampleOf(body)),
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
    const { example } = (parameter.schema ?? {}) as { readonly example?: unknown };
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
      const one = before.replace(/ies$/, 'y').replace(/(?<=ch)es$|s$/, '');
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
