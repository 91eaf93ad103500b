/** The results as a table in Markdown: one line for each row and peer. */
import type { Results, RowResult } from '../harness/results.ts';
import { figure } from './numbers.ts';

const HEAD = `| what | measured | beside | ratio | spread | to reach | |
|---|---|---|---|---|---|---|`;

export function tableOf(results: Results): string {
  const { quick, partial, rounds, seed, machine, versions, rows, failures } = results;
  const kind = `${quick ? 'Quick run: smaller data, shorter rounds' : 'Full run'}${partial ? ', only some rows' : ''}`;
  const lines = rows.flatMap((row) => Object.keys(row.ratios).map((peer) => lineOf(row, peer)));
  const failed = failures.map(({ id, error }) => `- \`${id}\` failed: ${error.split('\n')[0]}`);
  return [
    `${kind}. Medians of ${rounds} rounds, spread from smallest to largest. Seed ${seed}.`,
    `${machine.processors} × ${machine.processor}, ${machine.memoryGiB} GiB, ${machine.system}; Node ${versions['node']}, SQLite ${versions['sqlite']}.`,
    [HEAD, ...lines].join('\n'),
    ...(failed.length > 0 ? [failed.join('\n')] : []),
    '',
  ].join('\n\n');
}

function lineOf(row: RowResult, peer: string): string {
  const { id, what, value, unit, ratios, spread, better, reach, met } = row;
  const range = spread[peer];
  const aim = reach[peer] ?? null;
  const cells = [
    `\`${id}\`: ${what}`,
    `${figure(value)} ${unit}`,
    `\`${peer}\``,
    figure(ratios[peer] ?? Number.NaN),
    range === undefined ? '' : `${figure(range.smallest)} to ${figure(range.largest)}`,
    aim === null ? '' : `${better === 'higher' ? '≥' : '≤'} ${aim.toLocaleString('en')}`,
    aim === null ? '' : met[peer] ? 'met' : '**missed**',
  ];
  return `| ${cells.join(' | ')} |`;
}
