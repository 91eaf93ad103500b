/** No statement of SQLite is compiled again when it is executed. */
import { constants, DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { makeTree, readTree, type SourceTree, walk } from './source-tree.ts';

/** The planner uses the value of a bound limit, so each one that is bound expires the statement. */
const BOUND_LIMIT = /\bLIMIT \?(?!\d* \+ 0)/;

function boundLimitsIn(tree: SourceTree): readonly string[] {
  const found: string[] = [];
  for (const file of tree.files.values()) {
    if (!file.folder.startsWith('packages/')) continue;
    walk(file.program, (node) => {
      const isText = node.type === 'Literal' && typeof node.value === 'string';
      if (!isText && node.type !== 'TemplateElement') return;
      const text = isText ? String(node.value) : node.value.raw;
      if (BOUND_LIMIT.test(text)) found.push(`${file.path}:${file.lineOf(node)}`);
    });
  }
  return found;
}

/** Whether a statement is compiled again when it is executed with another limit. */
function isCompiledAgain(sql: string): boolean {
  const database = new DatabaseSync(':memory:');
  database.exec('CREATE TABLE numbers (n INTEGER PRIMARY KEY)');
  const statement = database.prepare(sql);
  let isCompiled = false;
  // Asked about what a statement reads while it is compiled. Setting it expires all statements.
  database.setAuthorizer(() => {
    isCompiled = true;
    return constants.SQLITE_OK;
  });
  statement.all(1);
  isCompiled = false;
  statement.all(2);
  database.close();
  return isCompiled;
}

it('limits are bound within an expression', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  expect(boundLimitsIn(readTree(root))).toEqual([]);
});

// biome-ignore lint/suspicious/noTemplateCurlyInString: sources
it.each(["'SELECT 1 LIMIT ?'", '`${1} LIMIT ?`', "'SELECT 1 LIMIT ?2'"])('%s is found', (text) => {
  const tree = makeTree({ 'packages/core/src/a.ts': `export const a = ${text};` }, {});
  expect(boundLimitsIn(tree)).toEqual(['packages/core/src/a.ts:1']);
});

it.each([
  ['LIMIT ?', true],
  ['LIMIT ? + 0', false],
  ['LIMIT ? + 0 OFFSET 1', false],
])('with %s SQLite compiles it again: %s', (limit, expected) => {
  expect(isCompiledAgain(`SELECT n FROM numbers ${limit}`)).toBe(expected);
});
