/** Runs commands of the command line in this process. */
import { type Readable, Writable } from 'node:stream';
import { runCommandLine } from '@counterfoil/http-host/command-line';

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export async function ranCommand(
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  stdin?: Readable,
): Promise<Ran> {
  const [out, err] = [[] as string[], [] as string[]];
  const input = stdin === undefined ? {} : { stdin };
  const code = await runCommandLine(words, {
    env,
    ...input,
    stdout: into(out),
    stderr: into(err),
  });
  return { code, out: out.join(''), err: err.join('') };
}

function into(written: string[]): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      written.push(String(chunk));
      done();
    },
  });
}
