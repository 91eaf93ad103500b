/** Writes the reader of the reference, which the host serves, from npm: run after a change of its version, and commit what it writes. */
import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';

/** What the registry says of the tarball of this version. Scalar is under the MIT licence. */
const VERSION = '@scalar/api-reference@1.72.1';
const INTEGRITY =
  'sha512-XpEJ0rfc/cXbCrR+iC4kK0o/WwX2dTtGQbT049OlPKAHD6IMIFdTeGz2r+M27P2EDWKyUITRm/NzlP8z2pw/Ow==';
/** SHA-256 of the script as it is served. */
export const DIGEST = '1a5cce004d71df433aa212327902dd765928104149b5af13e769495c0270129d';

const SCRIPT = 'package/dist/browser/standalone.js';
const MAX_BYTES = 64 * 1_024 * 1_024;

export const READER = fileURLToPath(
  new URL('../packages/http-host/src/reader/scalar.js.br', import.meta.url),
);

function scriptOfPackage(): string {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-reader-'));
  try {
    const [{ filename }] = JSON.parse(run('npm', ['pack', VERSION, '--json'], folder));
    const tarball = readFileSync(join(folder, filename));
    const integrity = `sha512-${hash('sha512', tarball, 'base64')}`;
    if (integrity !== INTEGRITY) throw new Error(`the integrity of ${VERSION} is ${integrity}`);
    const text = run('tar', ['-xzOf', filename, SCRIPT], folder);
    // The source map is not served.
    return text.replace(/\n\/\/# sourceMappingURL=\S*\s*$/, '\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function run(command: string, args: string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: MAX_BYTES,
  });
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${stderr}`);
  return stdout;
}

if (import.meta.main) {
  const script = Buffer.from(scriptOfPackage());
  mkdirSync(dirname(READER), { recursive: true });
  writeFileSync(
    READER,
    brotliCompressSync(script, {
      params: {
        [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
        [constants.BROTLI_PARAM_SIZE_HINT]: script.length,
      },
    }),
  );
  console.log(`DIGEST has to be '${hash('sha256', script, 'hex')}'`);
}
