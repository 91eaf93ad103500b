/** Every test file runs in exactly one project, and each project in one of the two commands. */
import { globSync, readFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { excludedFrom, PROJECTS, type Project } from '../setup/projects.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const files = globSync('**/*.test.ts', {
  cwd: ROOT,
  // `bench --compare` keeps the files of another commit in its results.
  exclude: (path) => /(^|[/\\])(node_modules|dist|\.stryker-tmp|bench[/\\]results)$/.test(path),
}).map((path) => path.replaceAll('\\', '/'));

function runs(project: Project, file: string): boolean {
  const matches = (pattern: string) => matchesGlob(file, pattern);
  return project.include.some(matches) && !excludedFrom(project).some(matches);
}

function projectsOf(file: string, { repeats }: { repeats: boolean }): readonly string[] {
  return PROJECTS.filter((each) => (each.repeats ?? false) === repeats && runs(each, file)).map(
    ({ name }) => name,
  );
}

it('every test file belongs to exactly one project', () => {
  const others = files
    .map((file) => ({ file, projects: projectsOf(file, { repeats: false }) }))
    .filter(({ projects }) => projects.length !== 1);
  expect(others).toEqual([]);
  expect(files.length).toBeGreaterThan(100);
});

it('every pattern of a project finds a file', () => {
  const patterns = PROJECTS.flatMap(({ include }) => include);
  const idle = patterns.filter((each) => !files.some((file) => matchesGlob(file, each)));
  expect(idle).toEqual([]);
});

it('what is repeated on servers is first run without them', () => {
  const repeated = files.filter((file) => projectsOf(file, { repeats: true }).length > 0);
  expect(repeated.filter((file) => projectsOf(file, { repeats: false })[0] !== 'quick')).toEqual(
    [],
  );
});

it('the two commands run all projects, each once', () => {
  const { scripts } = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8'));
  expect(scripts.test).toMatch(/vitest run --project 'quick\*'$/);
  expect(scripts['test:all']).toBe("vitest run --project '!quick*' --maxWorkers 3");
});
