/**
 * Packs every publishable package as it would be published and has the tarballs judged: publint for
 * the manifest, attw for what a consumer's TypeScript and Node resolve, and a consumer that installs
 * all of them and compiles what they export. Run after the build.
 */
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PackedPackage, writeConsumer } from './consumer.ts';

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
} finally {
  rmSync(scratch, { recursive: true });
}

process.exit(failures === 0 ? 0 : 1);

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
