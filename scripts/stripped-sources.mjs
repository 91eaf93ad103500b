/**
 * Sources with their types stripped, kept in a file for each, whose first line says what it was made of.
 * Node's compile cache keeps them as well, but holds all of it in memory, 14 MB for a host.
 */
import { hash } from 'node:crypto';
import {
  accessSync,
  constants,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { threadId } from 'node:worker_threads';

const FOLDER = fileURLToPath(new URL('../node_modules/.cache/counterfoil/', import.meta.url));

/** What is kept of a source; undefined where that is of another one, or of another Node, or nothing. */
export function keptOf(path, source) {
  const madeOf = firstLineOf(source);
  try {
    const kept = readFileSync(fileOf(path), 'utf8');
    return kept.startsWith(madeOf) ? kept.slice(madeOf.length) : undefined;
  } catch {
    return undefined;
  }
}

/** Strips a source and keeps what that made. */
export function stripAndKeep(path, source) {
  const code = withoutWarning(() => stripTypeScriptTypes(source));
  keep(fileOf(path), firstLineOf(source) + code);
  return code;
}

function fileOf(path) {
  return join(FOLDER, hash('sha256', path));
}

function firstLineOf(source) {
  return `${process.version} ${hash('sha256', source)}\n`;
}

/** Whether there is a place to keep something. */
export function canKeep() {
  try {
    mkdirSync(FOLDER, { recursive: true });
    accessSync(FOLDER, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Whole or not at all, whoever else starts. Without a place to keep it, the next start strips again. */
function keep(file, content) {
  if (!canKeep()) return;
  const part = `${file}.${process.pid}.${threadId}`;
  try {
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
