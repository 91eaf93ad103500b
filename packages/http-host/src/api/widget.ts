/** The widget: its script under an address that never changes its content, and the pages of its frames. */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type CardEntry, SANDBOX_ACTION_URL } from '@counterfoil/engine';
import { z } from 'zod';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { refuse } from '../http/errors.ts';
import { apiSlice } from './slice.ts';
import { challengePage, framePage, type WidgetPage } from './widget-pages.ts';
import { bounded, QueryBoolean, text, Uuid } from './wire.ts';

const TAG = 'Widget';
const YEAR_SECONDS = 31_536_000;
const SOON = 'public, max-age=300';
const HASH_LENGTH = 16;

const JAVASCRIPT = 'text/javascript; charset=utf-8';
const CSS = 'text/css; charset=utf-8';

/** Pages of any origin may load it, and check what it is. */
const SHARED = {
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
};

interface WidgetFile {
  readonly bytes: Buffer;
  readonly contentType: string;
  readonly cacheControl: string;
}

/** What the folder `widget` holds: built by scripts/build-widget.ts. */
const BUILT = {
  v1: 'v1.js',
  frame: 'frame.js',
  challenge: 'challenge.js',
  authenticate: 'authenticate.js',
  style: 'style.css',
};
type Built = keyof typeof BUILT;

/** The address of a file, with its hash. */
export function widgetAddress(name: Built): string {
  return widgetFiles().addresses[name];
}

const CHALLENGE_PATH = '/widget/pages/challenge';

/** Where a payment's `nextAction` leads a browser: the sandbox's page is one of the host. */
export function challengeUrl(url: string): string {
  return url.startsWith(SANDBOX_ACTION_URL) ? CHALLENGE_PATH : url;
}

let read: ReturnType<typeof readFiles> | undefined;

function widgetFiles() {
  read ??= readFiles();
  return read;
}

/** The files by name, and their addresses with hashes. */
function readFiles() {
  const files = new Map<string, WidgetFile>();
  const addresses = {} as Record<Built, string>;
  let integrity = '';
  const never = `public, max-age=${YEAR_SECONDS}, immutable`;
  for (const [name, file] of Object.entries(BUILT) as [Built, string][]) {
    const bytes = readFileSync(new URL(`../widget/${file}`, import.meta.url));
    const mark = hash('sha256', bytes, 'hex').slice(0, HASH_LENGTH);
    const hashed = file.replace('.', `.${mark}.`);
    const contentType = file.endsWith('.css') ? CSS : JAVASCRIPT;
    files.set(hashed, { bytes, contentType, cacheControl: never });
    addresses[name] = `/widget/${hashed}`;
    if (name !== 'v1') continue;
    files.set(file, { bytes, contentType, cacheControl: SOON });
    integrity = `sha384-${hash('sha384', bytes, 'base64')}`;
  }
  return { files, addresses, integrity };
}

const WidgetAddress = z
  .object({
    src: z.string().meta({ description: 'The script, with its hash' }),
    integrity: z.string().meta({ description: 'SHA-384 of the script, as browsers check it' }),
  })
  .meta({ id: 'WidgetAddress' });

/** A payment key, as far as its pages are concerned. */
export interface PageKey {
  /** Where its pages are. */
  readonly origins: readonly string[];
  cardEntryOf(sessionId: string, asksForScript: boolean): Promise<CardEntry>;
}

export interface WidgetServices {
  /** Undefined of what is no key, or none that is active. */
  readonly pageKey: (key: string) => Promise<PageKey | undefined>;
}

function widgetEndpoints({ pageKey }: WidgetServices): Endpoint[] {
  const { files, addresses, integrity } = widgetFiles();
  const shared = {
    method: 'GET',
    tag: TAG,
    access: { kind: 'public' },
    idempotency: 'none',
  } as const;
  const page = { schema: z.string(), contentType: 'text/html' };
  return [
    endpoint({
      ...shared,
      operationId: 'getWidgetFile',
      path: '/widget/{file}',
      summary: 'The script of the widget',
      description:
        '`v1.js` is the present script, cached for five minutes. Names with a hash never change their content, and are cached for a year.',
      params: z.object({
        file: bounded(64).meta({ description: 'The name of the file', example: 'v1.js' }),
      }),
      responses: {
        200: {
          description: 'The file',
          schema: z.string(),
          contentType: 'text/javascript',
          orElse: 'text/css',
        },
      },
      rejections: ['route_not_found'],
      handle: async (_, { params }) => {
        const file = files.get(params.file);
        if (file === undefined) throw refuse('route_not_found');
        const { bytes, contentType, cacheControl } = file;
        const headers = { ...SHARED, 'Cache-Control': cacheControl };
        return { status: 200, raw: bytes, contentType, headers, isConstant: true };
      },
    }),
    endpoint({
      ...shared,
      operationId: 'getWidgetAddress',
      path: '/widget/v1.json',
      summary: 'The address of the present script, and its integrity',
      description:
        'What a script element needs to load this script or none, beside `crossorigin="anonymous"`.',
      responses: { 200: { description: 'Where it is', schema: WidgetAddress } },
      rejections: [],
      handle: async () => ({
        status: 200,
        body: { src: addresses.v1, integrity },
        headers: { ...SHARED, 'Cache-Control': SOON },
      }),
    }),
    endpoint({
      ...shared,
      operationId: 'getCardFrame',
      path: '/widget/pages/frame',
      summary: 'The card form of the widget',
      description:
        "The document of the frame, which a page of this origin alone may show: the origin must be one of the key. Where no merchant account of the session takes typed cards, the form is that of the gateway's own script, which the policy of this document then admits.",
      query: z.object({
        key: text(100).meta({
          description: 'A publishable payment key',
          example: 'cf_pub_live_RlVja5Tm1XhYAb0PYcO3aXw7TQ0o5nL8q2uPz6Yk4vA',
        }),
        origin: text(300).meta({
          description: 'Of the page that shows it',
          example: 'https://shop.example',
        }),
        session: Uuid.optional().meta({ description: 'The checkout session that it is for' }),
        gatewayScript: QueryBoolean.optional().meta({
          description: "Whether the card is to be typed into a form of the gateway's own script",
        }),
      }),
      responses: { 200: { description: 'The page', ...page } },
      rejections: ['origin_not_allowed', 'reference_unknown'],
      handle: async (_, { query }) => {
        const { session, gatewayScript = false } = query;
        const key = await pageKey(query.key);
        if (key?.origins.includes(query.origin) !== true) throw refuse('origin_not_allowed');
        const known = session && (await key.cardEntryOf(session, gatewayScript));
        const entry = known || ({ by: gatewayScript ? 'none' : 'form' } as const);
        return shown(framePage({ ...query, entry }, addresses));
      },
    }),
    endpoint({
      ...shared,
      operationId: 'getChallengePage',
      path: CHALLENGE_PATH,
      summary: 'The 3-D Secure page of the sandbox',
      description:
        'Where the sandbox sends buyers. With `done=true` it tells the card form that the buyer is back: pages of banks lead there at their end.',
      // Gateways and banks add parameters of their own, of which nothing is kept.
      query: z
        .object({
          done: z
            .enum(['true', 'false'])
            .optional()
            .meta({ description: 'Whether the buyer has acted' }),
        })
        .catchall(z.unknown().transform(() => null)),
      responses: { 200: { description: 'The page', ...page } },
      rejections: [],
      handle: async (_, { query }) => shown(challengePage(query.done === 'true', addresses)),
    }),
  ];
}

function shown({ html, contentSecurityPolicy }: WidgetPage) {
  return {
    status: 200,
    raw: html,
    contentType: 'text/html; charset=utf-8',
    headers: { 'Content-Security-Policy': contentSecurityPolicy },
  };
}

export const WIDGET = apiSlice(widgetEndpoints);
