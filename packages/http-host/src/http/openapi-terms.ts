/** Links from descriptions to the chapters of the glossary that explain their terms. */
import type { TermGroup } from './openapi-guide.ts';

/** Words of every day, which would be links in most descriptions. */
const UNLINKED: ReadonlySet<string> = new Set([
  'Build',
  'Command',
  'Company',
  'Environment',
  'Event',
  'Fee',
  'Freeze',
  'Network',
  'Refund',
  'Stream',
  'Tenant',
  'Token',
  'Unknown',
  'Unsubscribe',
  'Void',
]);

/** Members whose content is no description, although it may have members of that name. */
const DATA: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'example', 'examples']);

/** Code and links stay as they are. */
const KEPT = /(`[^`]*`|\[[^[\]]*\]\([^()]*\))/;

interface Linked {
  /** Of the term, by how it is written in a text. */
  readonly anchors: ReadonlyMap<string, string>;
  /** What stands before a term, and the term. */
  readonly pattern: RegExp;
}

/** In each description of an operation, a parameter or a field the first mention of a term becomes a link. */
export function linkTerms(made: object, groups: readonly TermGroup[]): void {
  const anchors = new Map(
    groups.flatMap(({ title, terms }) =>
      terms
        .filter(({ term }) => !UNLINKED.has(term))
        .flatMap(({ term }) =>
          formsOf(term).map((form) => [form, anchorOfChapter(title)] as const),
        ),
    ),
  );
  if (anchors.size === 0) return;
  // Longer ones first: an authorization is more than an auth.
  const forms = [...anchors.keys()].sort((one, other) => other.length - one.length);
  const pattern = new RegExp(`(^|[^\\w/.-])(${forms.join('|')})(?![\\w/-])`, 'g');
  const { paths, components } = made as Described & { readonly components?: Described };
  link(paths, { anchors, pattern });
  link(components?.['schemas'], { anchors, pattern });
}

/** Where the reference shows a chapter of the description of the document. */
export function anchorOfChapter(title: string): string {
  return `#description/${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`;
}

/** As it is written within and at the beginning of a sentence, of one and of several. */
function formsOf(term: string): readonly string[] {
  const isName = /^\S+[A-Z]/.test(term) || /^\d/.test(term);
  const forms = isName ? [term] : [term, `${term.charAt(0).toLowerCase()}${term.slice(1)}`];
  return forms.flatMap((form) => [
    form,
    form.endsWith('y') ? `${form.slice(0, -1)}ies` : `${form}s`,
  ]);
}

type Described = Readonly<Record<string, unknown>>;

function link(node: unknown, linked: Linked): void {
  if (typeof node !== 'object' || node === null) return;
  for (const [name, member] of Object.entries(node)) {
    if (DATA.has(name)) continue;
    if (name === 'responses') {
      // What an answer is called, and the list of its codes, are no descriptions of terms.
      for (const { content } of Object.values<Described>(member)) link(content, linked);
    } else if (name === 'description' && typeof member === 'string') {
      Object.assign(node, { description: linkedText(member, linked) });
    } else {
      link(member, linked);
    }
  }
}

function linkedText(text: string, { anchors, pattern }: Linked): string {
  const seen = new Set<string>();
  return text
    .split(KEPT)
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part.replaceAll(pattern, (found: string, before: string, form: string) => {
            const anchor = anchors.get(form) ?? '';
            const word = form.toLowerCase().replace(/(ies|y|s)$/, '');
            if (seen.has(word)) return found;
            seen.add(word);
            return `${before}[${form}](${anchor})`;
          }),
    )
    .join('');
}
