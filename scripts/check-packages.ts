/**
 * Packs every publishable package as it would be published and has the tarballs judged: publint for
 * the manifest, attw for what a consumer's TypeScript and Node resolve, and a consumer that installs
 * all of them and compiles what they export. Run after the build.
 */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PackedPackage, writeConsumer } from './consumer.ts';

/** A ledger that is opened and closed takes seconds. */
const PROGRAM_MS = 60_000;

let failures = 0;

const scratch = mkdtempSync(join(tmpdir(), 'counterfoil-pack-'));
try {
  const packages = globSync('packages/*/package.json').sort().map(pack);
  for (const { manifest, tarball } of packages) {
    console.log(`== ${manifest.name}`);
    run('publint', ['run', tarball, '--strict']);
    run('attw', [tarball, '--profile', 'esm-only']);
  }
  console.log('== a consumer of all of them');
  const cwd = join(scratch, 'consumer');
  const { projects, program } = writeConsumer(cwd, packages);
  run('pnpm', ['install', '--prefer-offline', '--ignore-scripts'], { cwd });
  for (const project of projects) run('tsc', ['-p', join(cwd, project)]);
  run('node', [program], { cwd });
  runPrograms(cwd);
} finally {
  rmSync(scratch, { recursive: true });
}

process.exit(failures === 0 ? 0 : 1);

/** The programs of `examples/bundled` in the consumer: required, bundled beside the packages, and bundled whole. */
function runPrograms(cwd: string): void {
  console.log('== its programs');
  for (const file of readdirSync('examples/bundled')) {
    cpSync(join('examples/bundled', file), join(cwd, file));
  }
  run('node', ['build.mjs'], { cwd });
  const data = () => mkdtempSync(join(scratch, 'data-'));
  prints(/^TransactionUnknown\n$/, ['app.cjs', data()], { cwd });
  prints(/^Captured, 1 found\n$/, ['external/app.js', data()], { cwd });
  // Nothing is found there but what is in the bundle.
  const alone = join(scratch, 'alone');
  cpSync(join(cwd, 'inside'), alone, { recursive: true });
  writeFileSync(join(alone, 'package.json'), JSON.stringify({ type: 'module' }));
  prints(/^Captured, 1 found\n$/, ['app.js', data()], { cwd: alone });
  for (const lacking of ['projection-worker.js', 'activity-worker.js', 'writer-worker.js']) {
    rmSync(join(alone, lacking));
    prints(new RegExp(`no file: .*${lacking}.*see docs/embedding.md`), ['app.js', data()], {
      cwd: alone,
    });
  }
}

/** Runs a program of Node, whose output has to be so, or what it says when it fails. */
function prints(expected: RegExp, args: string[], { cwd }: { cwd: string }): void {
  const { stdout, stderr } = spawnSync('node', args, {
    cwd,
    encoding: 'utf8',
    timeout: PROGRAM_MS,
  });
  if (expected.test(stdout) || expected.test(stderr)) return;
  failures += 1;
  console.error(`${args.join(' ')} did not print ${expected}\n${stdout}${stderr}`);
}

function pack(manifestPath: string): PackedPackage {
  const manifest = JSON.parse(readFileSync(manifestPath, 'utf8')) as PackedPackage['manifest'];
  const folder = join(scratch, manifest.name.replace('/', '-'));
  mkdirSync(folder);
  run('pnpm', ['pack', '--pack-destination', folder], { cwd: join(manifestPath, '..') });
  return { manifest, tarball: join(folder, onlyFileIn(folder)) };
}

function run(command: string, args: string[], options: { cwd?: string } = {}): void {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', ...options });
  if (status === 0) return;
  failures += 1;
  console.error(`${command} ${args.join(' ')} ended with ${status}\n${stdout}${stderr}`);
}

function onlyFileIn(folder: string): string {
  const [file, ...others] = readdirSync(folder);
  if (file === undefined || others.length > 0) throw new Error(`expected one tarball in ${folder}`);
  return file;
}
