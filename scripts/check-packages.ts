/**
 * Packs every publishable package as it would be published and has the tarball judged: publint for
 * the manifest, attw for what a consumer's TypeScript and Node resolve. Run after the build.
 */
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let failures = 0;

for (const manifestPath of globSync('packages/*/package.json').sort()) {
  const folder = join(manifestPath, '..');
  const { name } = JSON.parse(readFileSync(manifestPath, 'utf8')) as { name: string };
  const packed = mkdtempSync(join(tmpdir(), 'counterfoil-pack-'));
  try {
    console.log(`== ${name}`);
    run('pnpm', ['pack', '--pack-destination', packed], { cwd: folder });
    const tarball = join(packed, onlyFileIn(packed));
    run('publint', ['run', tarball, '--strict']);
    run('attw', [tarball, '--profile', 'esm-only']);
  } finally {
    rmSync(packed, { recursive: true });
  }
}

process.exit(failures === 0 ? 0 : 1);

function run(command: string, args: string[], options: { cwd?: string } = {}): void {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', ...options });
  if (status === 0) return;
  failures += 1;
  console.error(`${command} ended with ${status}\n${stdout}${stderr}`);
}

function onlyFileIn(folder: string): string {
  const [file, ...others] = readdirSync(folder);
  if (file === undefined || others.length > 0) throw new Error(`expected one tarball in ${folder}`);
  return file;
}
