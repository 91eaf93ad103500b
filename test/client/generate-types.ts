/** Generates the types of packages/client: run after a change of the HTTP interface, and commit what it writes. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compose } from '@counterfoil/http-host';
import { readConfig } from '@counterfoil/http-host/config';
import openapiTypes, { astToString } from 'openapi-typescript';
import { ROOT } from '../docs/markdown.ts';

// biome-ignore lint/suspicious/noExplicitAny: the document is looked into as a generator would
type Json = any;

export const GENERATED = join(ROOT, 'packages/client/src/openapi.ts');

const HEADER = `/** Generated from the OpenAPI document of the host by \`pnpm build:client\`: do not edit. */\n`;
/** A member with a default may be left out of a request. */
const OPTIONS = { defaultNonNullable: false };
const ERROR = '#/components/schemas/Error';
/** Of the reference alone: an editor cannot follow it. */
const LINK_TO_TERM = /\[([^[\]]+)\]\(#description\/[a-z0-9-]+\)/g;

/** The source of the types, as openapi-typescript makes it of the document of a host. */
export async function generatedTypes(): Promise<string> {
  const document = await documentOfHost();
  const types = astToString(await openapiTypes(withoutRepetition(document), OPTIONS));
  const keyed = operationsOf(document).filter(({ node: { parameters = [] } }) =>
    parameters.some(({ name }: Json) => name === 'Idempotency-Key'),
  );
  const reading = operationsOf(document).filter(
    ({ name, node }) => name.startsWith('POST ') && /^Scope: `[\w-]+:read`/m.test(node.description),
  );
  return `${HEADER}
/** The operations that take an \`Idempotency-Key\`. */
export const WITH_IDEMPOTENCY_KEY: ReadonlySet<string> = ${sourceOf(keyed)};

/** Those that only read, although their method is POST. */
export const READS_BY_POST: ReadonlySet<string> = ${sourceOf(reading)};

${types}`;
}

interface Operation {
  /** Method and path. */
  readonly name: string;
  readonly node: Json;
}

function sourceOf(operations: readonly Operation[]): string {
  return `new Set([${operations.map(({ name }) => `\n  '${name}',`).join('')}\n])`;
}

/** With the operations of the test clock, as the demo has them. */
async function documentOfHost(): Promise<Json> {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-client-'));
  const memory = { EVENT_STORE_URL: 'memory:', READ_MODEL_URL: 'memory:', TEST_CLOCK: '1' };
  const config = readConfig({ PORT: '0', DATA_DIR: folder, LOG_LEVEL: 'silent', ...memory });
  const host = await compose(config);
  try {
    const text = await (await fetch(`${await host.listen()}/openapi.json`)).text();
    return JSON.parse(text.replaceAll(LINK_TO_TERM, '$1'));
  } finally {
    await host.close();
    rmSync(folder, { recursive: true });
  }
}

/**
 * The document with what its types do not need taken out: headers of answers, and the refusals of
 * each status, which have one shape and become the `default` answer. That is nine tenths of it.
 */
function withoutRepetition({ openapi, info, paths, components }: Json): Json {
  const operations = Object.entries<Json>(paths).map(([path, item]) => [
    path,
    mapValues(item, (operation) => ({ ...operation, responses: answersOf(operation) })),
  ]);
  const { title, version } = info;
  const content = { 'application/json': { schema: { $ref: ERROR } } };
  const responses = { Refusal: { description: 'A refusal', content } };
  return {
    openapi,
    info: { title, version },
    paths: Object.fromEntries(operations),
    components: { schemas: components.schemas, responses },
  };
}

function answersOf({ responses }: Json): Json {
  const answers = Object.entries<Json>(responses)
    .filter(([, { content }]) => content?.['application/json']?.schema?.$ref !== ERROR)
    .map(([status, { headers: _, ...rest }]) => [status, rest] as const);
  return { ...Object.fromEntries(answers), default: { $ref: '#/components/responses/Refusal' } };
}

function operationsOf({ paths }: Json): Operation[] {
  return Object.entries<Json>(paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, node]) => ({
      name: `${method.toUpperCase()} ${path}`,
      node,
    })),
  );
}

function mapValues(object: Json, change: (value: Json) => Json): Json {
  return Object.fromEntries(Object.entries(object).map(([name, each]) => [name, change(each)]));
}

if (import.meta.main) writeFileSync(GENERATED, await generatedTypes());
