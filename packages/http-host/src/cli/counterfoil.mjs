#!/usr/bin/env node
/**
 * The entry of the command line. Plain JavaScript, so that an older Node can print the required
 * version instead of failing on the types or imports of another file.
 */
import { readFileSync } from 'node:fs';

const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const required = Number(/\d+/.exec(manifest.engines.node)[0]);

if (Number.parseInt(process.versions.node, 10) < required) {
  process.stderr.write(
    `counterfoil needs Node ${required} or later, and this is Node ${process.versions.node}\n`,
  );
  process.exitCode = 1;
} else {
  await import('./main.ts');
}
