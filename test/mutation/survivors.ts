/** Which mutants of a report the tests let live, held against the list of those that cannot be killed. */

/** What is read of a report in the mutation-testing-report-schema. */
export interface MutationReport {
  readonly files: Readonly<Record<string, MutatedFile>>;
}

interface MutatedFile {
  readonly source: string;
  readonly mutants: readonly Mutant[];
}

interface Mutant {
  readonly mutatorName: string;
  readonly replacement?: string;
  /** Lines and columns count from 1. */
  readonly location: { readonly start: Place; readonly end: Place };
  readonly status: string;
}

interface Place {
  readonly line: number;
  readonly column: number;
}

/** A mutant by what it says, not by where it stands: it is still recognised when lines move. */
export interface NamedMutant {
  /** From `packages/core/src`. */
  readonly file: string;
  /** The first line that it changes, trimmed. */
  readonly line: string;
  /** What is changed, and into what; white space runs are one space. */
  readonly from: string;
  readonly to: string;
}

/** An equivalent mutant and its reason. */
export interface EquivalentMutant extends NamedMutant {
  readonly reason: string;
}

export interface Judgement {
  /** Alive and not listed: a test is missing. */
  readonly unexplained: readonly NamedMutant[];
  /** Listed and not alive: the entry is to go. */
  readonly outdated: readonly EquivalentMutant[];
  /** Killed mutants in percent of those that are not equivalent: 0 to 100. */
  readonly score: number;
  readonly mutants: number;
}

const ALIVE = new Set(['Survived', 'NoCoverage']);
const DEAD = new Set(['Killed', 'Timeout']);
const SOURCES = 'packages/core/src/';

export function judge(report: MutationReport, equivalent: readonly EquivalentMutant[]): Judgement {
  const all = Object.entries(report.files).flatMap(([path, { source, mutants }]) =>
    mutants.map((mutant) => ({ status: mutant.status, name: nameOf(path, source, mutant) })),
  );
  const alive = all.filter(({ status }) => ALIVE.has(status)).map(({ name }) => name);
  const dead = all.filter(({ status }) => DEAD.has(status)).length;
  const listed = new Set(equivalent.map(keyOf));
  const met = new Set(alive.map(keyOf));
  const files = new Set(all.map(({ name }) => name.file));
  const unexplained = alive.filter((mutant) => !listed.has(keyOf(mutant)));
  return {
    unexplained,
    // A report of a part says nothing of the other files.
    outdated: equivalent.filter((mutant) => files.has(mutant.file) && !met.has(keyOf(mutant))),
    score: (100 * dead) / (dead + alive.length),
    mutants: dead + alive.length,
  };
}

function nameOf(path: string, source: string, { location, replacement }: Mutant): NamedMutant {
  const lines = source.split('\n');
  const { start, end } = location;
  const changed = lines.slice(start.line - 1, end.line);
  const last = changed.length - 1;
  changed[last] = (changed[last] ?? '').slice(0, end.column - 1);
  changed[0] = (changed[0] ?? '').slice(start.column - 1);
  return {
    file: path.slice(path.indexOf(SOURCES) + SOURCES.length),
    line: (lines[start.line - 1] ?? '').trim(),
    from: oneLine(changed.join(' ')),
    to: oneLine(replacement ?? ''),
  };
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

function keyOf({ file, line, from, to }: NamedMutant): string {
  return JSON.stringify([file, line, from, to]);
}
