/** What the document says at its beginning: how to call, every error code, and the terms. */
import type { ErrorRow } from './errors.ts';

export interface TermGroup {
  readonly title: string;
  readonly terms: readonly { readonly term: string; readonly meaning: string }[];
}

const CALLING = `
# Calling

JSON in, JSON out, in UTF-8. A caller is known by three headers:

- \`Authorization\`: the API key as its raw value, without a Bearer prefix
- \`ClientId\`: the tenant id, which is the id of the parent company
- \`UserEmail\`: the email of the party that makes the request

The samples can be pasted into a shell that knows \`BASE_URL\`, \`API_KEY\`, \`CLIENT_ID\` and \`USER_EMAIL\`, and the id that a sample names, such as \`PAYMENT_ID\`.

Operations that move money or send mail take an \`Idempotency-Key\`: repeat a request under the same key and you get the first answer, while the money moves once. A key belongs to one operation: the same key at both refund endpoints is two refunds. Every answer carries an \`X-Request-Id\`; send your own to find your way back.

# Errors

Every error has one shape, and its \`code\` never changes its meaning. With \`Accept: application/problem+json\` the members of RFC 9457 come as well.

`;

/** In Markdown. */
export function guideOf(
  introduction: string,
  codes: Readonly<Partial<Record<string, ErrorRow>>>,
  terms: readonly TermGroup[],
): string {
  const rows = Object.entries(codes).flatMap(([code, row]) =>
    row === undefined ? [] : `- \`${code}\` (${row.status}): **${row.title}.** ${row.description}`,
  );
  return `${introduction}\n${CALLING}${rows.join('\n')}\n${glossaryOf(terms)}`;
}

function glossaryOf(groups: readonly TermGroup[]): string {
  if (groups.length === 0) return '';
  const chapters = groups.map(({ title, terms }) => {
    const rows = terms.map(({ term, meaning }) => `- **${term}.** ${meaning}`);
    return `\n## ${title}\n\n${rows.join('\n')}\n`;
  });
  return `\n# Glossary\n${chapters.join('')}`;
}
