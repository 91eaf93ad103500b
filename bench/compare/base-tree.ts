/** Checks out another commit into a separate folder, so that its bench runs there. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const PROJECT = join(import.meta.dirname, '../..');
/** A `git archive` of the project is a few MB. */
const MAX_ARCHIVE_BYTES = 2 ** 30;

/**
 * Extracts the commit below `parent` and installs its dependencies and those of its bench; an
 * existing folder is reused. Throws for an unknown commit.
 */
export function baseTree(ref: string, parent: string): { commit: string; folder: string } {
  const commit = commitOf(ref);
  const folder = join(parent, commit);
  if (existsSync(folder)) return { commit, folder };
  const unfinished = `${folder}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  const archive = execFileSync('git', ['archive', commit], {
    cwd: PROJECT,
    maxBuffer: MAX_ARCHIVE_BYTES,
  });
  execFileSync('tar', ['-x', '-C', unfinished], { input: archive });
  renameSync(unfinished, folder);
  try {
    for (const installed of [folder, join(folder, 'bench')]) {
      execFileSync('pnpm', ['install', '--frozen-lockfile'], { cwd: installed, stdio: 'inherit' });
    }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  return { commit, folder };
}

function commitOf(ref: string): string {
  try {
    return execFileSync('git', ['rev-parse', '--verify', '--end-of-options', `${ref}^{commit}`], {
      cwd: PROJECT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    throw new Error(`--compare ${ref}: no such commit`);
  }
}
