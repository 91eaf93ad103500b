/**
 * Runs unbuilt sources from what is kept of them without their types. Given by `--import`, which holds for
 * worker threads too.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { canKeep, keptOf, stripAndKeep } from './stripped-sources.mjs';

const STRIP_ALL = fileURLToPath(new URL('strip-all.mjs', import.meta.url));

let asksOther = isMainThread;

registerHooks({
  load(url, context, nextLoad) {
    if (!url.startsWith('file:') || !url.endsWith('.ts')) return nextLoad(url, context);
    const path = fileURLToPath(url);
    return { format: 'module', source: codeOf(path), shortCircuit: true };
  },
});

/** What strips takes 33 MB of its process for good, so that is another one, which ends. */
function codeOf(path) {
  const source = readFileSync(path, 'utf8');
  const kept = keptOf(path, source);
  if (kept !== undefined) return kept;
  if (asksOther && canKeep()) {
    asksOther = false;
    spawnSync(process.execPath, [STRIP_ALL], { stdio: 'ignore' });
    return codeOf(path);
  }
  return stripAndKeep(path, source);
}
