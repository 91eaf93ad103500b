/** What the endpoints of the console have in common. */
import { z } from 'zod';
import { parseQuery } from '../http/router.ts';
import { refusalPage } from './answers.ts';

const HTML = { schema: z.string(), contentType: 'text/html' } as const;
export const PAGE = { description: 'The page', ...HTML };

export type Values = Readonly<Record<string, string | readonly string[]>>;
const Texts = z.record(z.string(), z.union([z.string(), z.array(z.string())]));
const Params = z.record(z.string(), z.string());

/** Fields of pages are checked by the schemas of the pages: what is wrong is shown in the form. */
export const CONSOLE_ENDPOINT = {
  tag: 'Console',
  description: 'Of the console',
  access: { kind: 'public' },
  params: Params,
  query: Texts,
  rejections: [],
  idempotency: 'none',
  // Pages hold the tokens of their forms.
  holdsSecrets: true,
  refusalPage,
} as const;

export const FORM_BODY = {
  body: Texts,
  bodyTypes: [
    {
      mediaType: 'application/x-www-form-urlencoded',
      read: (bytes: Buffer) => parseQuery(bytes.toString('utf8')),
      example: 'token=AAAA',
    },
  ],
} as const;
