/**
 * Keeps unbuilt sources with their types stripped, so that the next start does not strip them: that takes
 * time, and 20 MB. Node's compile cache keeps them as well, but holds all of it in memory, 14 MB for a host.
 * Given by `--import`, which holds for worker threads too.
 */
import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { threadId } from 'node:worker_threads';

const FOLDER = fileURLToPath(new URL('../node_modules/.cache/counterfoil/', import.meta.url));

registerHooks({
  load(url, context, nextLoad) {
    if (!url.startsWith('file:') || !url.endsWith('.ts')) return nextLoad(url, context);
    const path = fileURLToPath(url);
    const source = readFileSync(path, 'utf8');
    return { format: 'module', source: stripped(path, source), shortCircuit: true };
  },
});

/** A file for each source, whose first line says what it was made of. */
function stripped(path, source) {
  const file = join(FOLDER, hash('sha256', path));
  const madeOf = `${process.version} ${hash('sha256', source)}\n`;
  const kept = readIfThere(file);
  if (kept?.startsWith(madeOf)) return kept.slice(madeOf.length);
  const code = withoutWarning(() => stripTypeScriptTypes(source));
  keep(file, madeOf + code);
  return code;
}

function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** Whole or not at all, whoever else starts. Without a place to keep it, the next start strips again. */
function keep(file, content) {
  const part = `${file}.${process.pid}.${threadId}`;
  try {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(part, content);
    renameSync(part, file);
  } catch {
    rmSync(part, { force: true });
  }
}

/** Node strips types of itself without one; the function that does it is called experimental. */
function withoutWarning(work) {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return work();
  } finally {
    process.emitWarning = emitWarning;
  }
}
