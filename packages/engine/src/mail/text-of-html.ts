/** The text part of a mail from its HTML: in one pass, for any text. */

/** Their content is no text. */
const WITHOUT_TEXT: ReadonlySet<string> = new Set(['head', 'script', 'style', 'title']);
/** They begin on a line of their own; these after an empty one. */
const LINES: ReadonlySet<string> = new Set(['br', 'div', 'tr', 'li', 'hr', 'dt', 'dd']);
const PARAGRAPHS: ReadonlySet<string> = new Set([
  ...['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'table', 'ul', 'ol', 'blockquote', 'pre', 'section'],
]);

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  copy: '©',
  reg: '®',
  trade: '™',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  euro: '€',
  pound: '£',
  middot: '·',
  laquo: '«',
  raquo: '»',
};

const TAG_NAME = /^\/?([A-Za-z][A-Za-z0-9]{0,20})/;
const HREF = /\shref\s*=\s*(?:"([^"]{1,2000})"|'([^']{1,2000})'|([^\s"'>]{1,2000}))/i;
const MAX_TAG_LENGTH = 5_000;

/** Whether a text has any markup. */
export function isHtml(text: string): boolean {
  return /<[A-Za-z!/]/.test(text);
}

export function textOfHtml(html: string): string {
  const parts: string[] = [];
  const links: string[] = [];
  let place = 0;
  while (place < html.length) {
    const begin = html.indexOf('<', place);
    parts.push(plain(html.slice(place, begin < 0 ? undefined : begin)));
    if (begin < 0) break;
    const tag = tagAt(html, begin);
    if (tag === undefined) {
      parts.push('<');
      place = begin + 1;
      continue;
    }
    place = tag.end;
    const { name, isEnd } = tag;
    if (WITHOUT_TEXT.has(name) && !isEnd) place = endOf(html, name, place);
    else if (PARAGRAPHS.has(name)) parts.push('\n\n');
    else if (LINES.has(name) && (!isEnd || name === 'div'))
      parts.push(name === 'li' ? '\n- ' : '\n');
    else if ((name === 'td' || name === 'th') && isEnd) parts.push(' ');
    else if (name === 'a') {
      if (!isEnd) links.push(hrefOf(tag)?.value ?? '');
      else parts.push(shownLink(links.pop() ?? ''));
    }
  }
  return inParagraphs(parts.join(''));
}

export interface FoundTag {
  readonly name: string;
  readonly isEnd: boolean;
  readonly source: string;
  readonly begin: number;
  readonly end: number;
}

/** Of a text of HTML, in their order. */
export function* tagsOf(html: string): Generator<FoundTag> {
  let place = html.indexOf('<');
  while (place >= 0) {
    const tag = tagAt(html, place);
    if (tag !== undefined) yield tag;
    place = html.indexOf('<', tag?.end ?? place + 1);
  }
}

/** The `href` of a tag, decoded, and where it stands in the text. */
export function hrefOf({ source, begin }: FoundTag) {
  const found = HREF.exec(source);
  if (found === null) return undefined;
  const [whole] = found;
  // Without the space before it.
  const at = begin + 1 + found.index + 1;
  return {
    value: decoded(found.slice(1).find(Boolean) ?? ''),
    begin: at,
    end: at + whole.length - 1,
  };
}

/** Undefined where a `<` begins none. Comments and declarations have no name. */
function tagAt(html: string, begin: number): FoundTag | undefined {
  if (html.startsWith('<!--', begin)) {
    const close = html.indexOf('-->', begin + 4);
    return { name: '', isEnd: false, source: '', begin, end: close < 0 ? html.length : close + 3 };
  }
  const rest = html.slice(begin + 1, begin + 1 + MAX_TAG_LENGTH);
  const [, name] = TAG_NAME.exec(rest) ?? [];
  if (name === undefined && !rest.startsWith('!')) return undefined;
  const close = rest.indexOf('>');
  if (close < 0) return undefined;
  const source = rest.slice(0, close);
  const end = begin + close + 2;
  return { name: (name ?? '').toLowerCase(), isEnd: rest.startsWith('/'), source, begin, end };
}

function endOf(html: string, name: string, from: number): number {
  const ending = new RegExp(`</${name}\\b`, 'gi');
  ending.lastIndex = from;
  return ending.exec(html)?.index ?? html.length;
}

function shownLink(address: string): string {
  return /^(https?:|mailto:)/i.test(address) ? ` (${address})` : '';
}

/** Line ends of the source are spaces. */
function plain(text: string): string {
  return decoded(text.replace(/\s+/g, ' '));
}

function decoded(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-z]{2,8}));/g,
    (all, ten, hex, name) => {
      if (name !== undefined) return ENTITIES[name] ?? all;
      const code = ten === undefined ? Number.parseInt(hex, 16) : Number(ten);
      const isCharacter = code > 31 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
      return isCharacter ? String.fromCodePoint(code) : ' ';
    },
  );
}

function inParagraphs(text: string): string {
  const lines = text.split('\n').map((line) => line.replace(/[ \t]+/g, ' ').trim());
  const kept = lines.filter((line, index) => line !== '' || lines[index - 1] !== '');
  return `${kept.join('\n').trim()}\n`;
}
