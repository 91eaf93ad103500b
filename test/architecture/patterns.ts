/** Collects every regular expression of the sources for the checks of super-linear time. */
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

/** Patterns that cannot be read from the source are listed as `unreadable`. */
export interface Patterns {
  readonly found: readonly Pattern[];
  readonly unreadable: readonly string[];
}

/** Literals, `RegExp(...)` of texts, and formats of zod, in published code. */
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

/** The text of a literal or template; an interpolation becomes a digit. */
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
  // biome-ignore lint/suspicious/noExplicitAny: any export of zod with this name
  const make = names.reduce<any>((part, each) => part?.[each], z);
  return make()._zod.def.pattern;
}

/** A higher count is treated as unbounded: the checker unrolls counts. */
const MAX_COUNT = 2;
const COUNT = /\{(\d+)(,?)(\d*)\}/g;

function withoutLongCounts(source: string): string {
  return source.replaceAll(COUNT, (_all, from: string, comma: string, to: string) => {
    const least = Math.min(Number(from), MAX_COUNT);
    if (comma === '') return `{${least}}`;
    return to === '' || Number(to) > MAX_COUNT ? `{${least},}` : `{${least},${to}}`;
  });
}

/**
 * Why a pattern must not be used: its growth in time. Undefined when it is linear. By automata, which
 * prove it: the other checker tries texts for a while, and answers differently on a busy machine.
 */
export function faultOf({ source, flags }: Pick<Pattern, 'source' | 'flags'>): string | undefined {
  process.env['RECHECK_BACKEND'] = 'pure';
  const judged = checkSync(withoutLongCounts(source), flags, {
    timeout: null,
    checker: 'automaton',
  });
  if (judged.status === 'safe') return undefined;
  return judged.status === 'vulnerable' ? judged.complexity.summary : judged.error.kind;
}
