/** Every regular expression of the sources, as the checks for super-linear ones take them. */
import type { Node } from 'oxc-parser';
import { checkSync } from 'recheck';
import { z } from 'zod';
import { type SourceTree, walk } from './source-tree.ts';

export interface Pattern {
  readonly source: string;
  readonly flags: string;
  /** File and line. */
  readonly where: string;
}

/** What cannot be read off the source is told as `unreadable`: it could not be checked. */
export interface Patterns {
  readonly found: readonly Pattern[];
  readonly unreadable: readonly string[];
}

/** Literals, `RegExp(...)` of texts, and the formats of zod, in what is published but no tests. */
export function patternsIn(tree: SourceTree): Patterns {
  const found: Pattern[] = [];
  const unreadable: string[] = [];
  for (const file of tree.files.values()) {
    if (!file.folder.startsWith('packages/') || file.path.endsWith('.test.ts')) continue;
    walk(file.program, (node) => {
      const where = `${file.path}:${file.lineOf(node)}`;
      const expression = patternOf(node);
      if (expression === 'unreadable') unreadable.push(where);
      else if (expression !== undefined) found.push({ ...expression, where });
    });
  }
  return { found, unreadable };
}

function patternOf(node: Node): Omit<Pattern, 'where'> | 'unreadable' | undefined {
  if (node.type === 'Literal' && 'regex' in node) {
    return { source: node.regex.pattern, flags: node.regex.flags };
  }
  if (node.type !== 'NewExpression' && node.type !== 'CallExpression') return undefined;
  const { callee } = node;
  if (callee.type === 'Identifier' && callee.name === 'RegExp') {
    const [source, flags] = node.arguments.map(textOf);
    if (source === undefined) return 'unreadable';
    return { source, flags: flags ?? '' };
  }
  const format = formatOf(callee);
  return format === undefined ? undefined : { source: format.source, flags: format.flags };
}

/** The text of a literal or template; what is put into a template stands there as a digit. */
function textOf(node: Node): string | undefined {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type !== 'TemplateLiteral') return undefined;
  return node.quasis.map(({ value }) => value.cooked).join('1');
}

/** The pattern behind `z.email` or `z.iso.datetime`. */
function formatOf(callee: Node): RegExp | undefined {
  const names: string[] = [];
  let node = callee;
  while (node.type === 'MemberExpression' && node.property.type === 'Identifier') {
    names.unshift(node.property.name);
    node = node.object;
  }
  if (node.type !== 'Identifier' || node.name !== 'z') return undefined;
  const name = names.at(-1) ?? '';
  if (!(name in z.regexes)) return undefined;
  // biome-ignore lint/suspicious/noExplicitAny: whatever zod has under this name
  const make = names.reduce<any>((part, each) => part?.[each], z);
  return make()._zod.def.pattern;
}

/** A count beyond this is told as unbounded: the checker unrolls counts, and they hide nothing then. */
const MAX_COUNT = 4;
const COUNT = /\{(\d+)(,?)(\d*)\}/g;

function withoutLongCounts(source: string): string {
  return source.replaceAll(COUNT, (_all, from: string, comma: string, to: string) => {
    const least = Math.min(Number(from), MAX_COUNT);
    if (comma === '') return `{${least}}`;
    return to === '' || Number(to) > MAX_COUNT ? `{${least},}` : `{${least},${to}}`;
  });
}

/** Why a pattern must not be used: how its time grows with the text. Undefined when it is linear. */
export function faultOf({ source, flags }: Pick<Pattern, 'source' | 'flags'>): string | undefined {
  process.env['RECHECK_BACKEND'] = 'pure';
  const judged = checkSync(withoutLongCounts(source), flags, { timeout: null });
  if (judged.status === 'safe') return undefined;
  return judged.status === 'vulnerable' ? judged.complexity.summary : judged.error.kind;
}
