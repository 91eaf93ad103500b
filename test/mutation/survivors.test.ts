/** How a report of mutation testing is judged. */
import { describe, expect, it } from 'vitest';
import { type EquivalentMutant, judge, type MutationReport } from './survivors.ts';

const SOURCE = ['export function half(of: number) {', '  return of  / 2;', '}'].join('\n');
const HALF = { file: 'domain/half.ts', line: 'return of  / 2;', from: 'of / 2', to: 'of * 2' };

function reportOf(...statuses: readonly string[]): MutationReport {
  const location = { start: { line: 2, column: 10 }, end: { line: 2, column: 17 } };
  const mutants = statuses.map((status) => ({
    mutatorName: 'ArithmeticOperator',
    replacement: 'of * 2',
    location,
    status,
  }));
  return { files: { 'packages/core/src/domain/half.ts': { source: SOURCE, mutants } } };
}

describe('judging a report', () => {
  it('counts what was noticed, and not what could not be run', () => {
    const { score, mutants } = judge(
      reportOf('Killed', 'Timeout', 'Killed', 'Survived', 'CompileError', 'Ignored'),
      [],
    );
    expect({ score, mutants }).toEqual({ score: 75, mutants: 4 });
  });

  it.each(['Survived', 'NoCoverage'])('names a mutant that is %s and not listed', (status) => {
    expect(judge(reportOf(status), []).unexplained).toEqual([HALF]);
  });

  it('accepts a listed one at any line', () => {
    const { unexplained, outdated } = judge(reportOf('Survived'), [listed(HALF)]);
    expect({ unexplained, outdated }).toEqual({ unexplained: [], outdated: [] });
  });

  it('reports a listed one that is killed', () => {
    expect(judge(reportOf('Killed'), [listed(HALF)]).outdated).toEqual([listed(HALF)]);
  });

  it('says nothing of files that are not in the report', () => {
    const elsewhere = listed({ ...HALF, file: 'ledger/journal.ts' });
    expect(judge(reportOf('Killed'), [elsewhere]).outdated).toEqual([]);
  });

  it('joins several lines', () => {
    const { files } = reportOf('Survived');
    const path = 'packages/core/src/domain/half.ts';
    const [mutant] = files[path]?.mutants ?? [];
    if (mutant === undefined) throw new Error('the report has a mutant');
    const location = { start: { line: 1, column: 34 }, end: { line: 3, column: 2 } };
    const report = {
      files: { [path]: { source: SOURCE, mutants: [{ ...mutant, location, replacement: '{}' }] } },
    };
    expect(judge(report, []).unexplained).toEqual([
      {
        file: 'domain/half.ts',
        line: 'export function half(of: number) {',
        from: '{ return of / 2; }',
        to: '{}',
      },
    ]);
  });
});

function listed(mutant: typeof HALF): EquivalentMutant {
  return { ...mutant, reason: 'a sample' };
}
