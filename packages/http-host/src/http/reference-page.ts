/** The reference: Scalar, a reader of OpenAPI, served by this host with all that it needs. */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { z } from 'zod';
import { type Endpoint, endpoint, type RequestContext } from './endpoint.ts';
import { refuse } from './errors.ts';
import type { OpenApiDocument } from './openapi.ts';
import { NOT_MODIFIED, StaticText } from './static-text.ts';

/** Written by scripts/build-reader.ts. */
const BUNDLE = new URL('../reader/scalar.js.br', import.meta.url);
const PRESENT = 'scalar.js';
const HASH_LENGTH = 16;
const SOON = 'public, max-age=300';
const NEVER_CHANGES = 'public, max-age=31536000, immutable';

/** Whatever Scalar would ask of its makers is switched off. Their fonts are those of the system. */
const SETTINGS = {
  url: '/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  persistAuth: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true, hideAddApi: true },
  mcp: { disabled: true },
  authentication: { preferredSecurityScheme: [['apiKey', 'clientId', 'userEmail']] },
};

/** zod within Scalar would try whether it may make code from text. Links to errors are of the host. */
const SCRIPT = `globalThis.__zod_globalConfig = { jitless: true };
if (location.hash.startsWith('#error-')) location.hash = '#description/errors';
addEventListener('DOMContentLoaded', () => {
  Scalar.createApiReference('#reference', ${JSON.stringify(SETTINGS)});
});`;

/** Scalar writes style elements and attributes of its own, so only styles may stand in the page. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `script-src 'self' 'sha256-${hash('sha256', SCRIPT, 'base64')}'`,
  "style-src 'unsafe-inline'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

interface Bundle {
  readonly compressed: Buffer;
  /** The name with its hash. */
  readonly name: string;
}

let bundle: Bundle | undefined;
let script: Promise<Buffer> | undefined;

function readBundle(): Bundle {
  const compressed = readFileSync(BUNDLE);
  const mark = hash('sha256', compressed, 'hex').slice(0, HASH_LENGTH);
  bundle = { compressed, name: PRESENT.replace('.', `.${mark}.`) };
  return bundle;
}

function htmlOf({ info: { title, version } }: OpenApiDocument, { name }: Bundle): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(`${title} ${version}`)}</title>
<link rel="icon" href="data:,">
<script>${SCRIPT}</script>
<script src="/docs/${name}" defer></script>
</head>
<body>
<div id="reference"></div>
<noscript><p>The reference needs scripts. <a href="/openapi.json">The OpenAPI document</a> says the same.</p></noscript>
</body>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (each) => `&#${each.charCodeAt(0)};`);
}

/** The endpoints that show the page, at /docs and at the root, and its script. */
export function referencePageEndpoints(
  document: () => OpenApiDocument | Promise<OpenApiDocument>,
): Endpoint[] {
  let page: StaticText | undefined;
  const shared = {
    method: 'GET',
    tag: 'Operations',
    access: { kind: 'public' },
    idempotency: 'none',
  } as const;
  const ofPage = {
    ...shared,
    summary: 'This reference',
    description: 'The interface for readers: every operation, field and error code.',
    responses: {
      200: { description: 'The page', schema: z.string(), contentType: 'text/html' },
      304: NOT_MODIFIED,
    },
    rejections: [],
    version: 'cached',
    handle: async (context: RequestContext) => {
      page ??= new StaticText(htmlOf(await document(), bundle ?? readBundle()), {
        contentType: 'text/html; charset=utf-8',
      });
      return page.answer(context, { 'Content-Security-Policy': CONTENT_SECURITY_POLICY });
    },
  } as const;
  return [
    endpoint({ ...ofPage, operationId: 'getReferencePage', path: '/docs' }),
    endpoint({
      ...ofPage,
      operationId: 'getRoot',
      path: '/',
      summary: 'This reference, at the root',
    }),
    endpoint({
      ...shared,
      operationId: 'getReferenceScript',
      path: '/docs/{file}',
      summary: 'The script of this reference',
      description: 'The name with a hash never changes its content, and is cached for a year.',
      params: z.object({
        file: z.string().max(64).meta({ description: 'The name of the file', example: PRESENT }),
      }),
      responses: {
        200: { description: 'The script', schema: z.string(), contentType: 'text/javascript' },
      },
      rejections: ['route_not_found'],
      handle: async (_, { params: { file } }) => {
        const { compressed, name } = bundle ?? readBundle();
        if (file !== name && file !== PRESENT) throw refuse('route_not_found');
        script ??= promisify(brotliDecompress)(compressed);
        return {
          status: 200,
          raw: await script,
          brotli: compressed,
          contentType: 'text/javascript; charset=utf-8',
          headers: { 'Cache-Control': file === name ? NEVER_CHANGES : SOON },
          isConstant: true,
        };
      },
    }),
  ];
}
