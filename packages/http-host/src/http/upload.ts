/** Receives a body that is no JSON into a file without a name, so that it is never held in memory. */
import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Refusal, refuse } from './errors.ts';

/** What an endpoint takes instead of JSON. */
export interface UploadDefinition {
  readonly mediaType: string;
  /** Other parameters than the charset are admitted. Default: false. */
  readonly anyParameters?: boolean;
  readonly maxBytes: number;
  readonly example: string;
}

export interface Upload {
  /** The content; may be read once. */
  read(): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

/** Of a body without content. */
export const NOTHING_UPLOADED: Upload = {
  async *read() {},
  close: async () => undefined,
};

/**
 * Rejects with a Refusal when it exceeds `maxBytes` or is cut off. `onFail` gets what rejects it from
 * outside: the parser could not read the rest.
 */
export async function receiveUpload(
  request: IncomingMessage,
  maxBytes: number,
  onFail: (fail: (reason: Refusal) => void) => void,
): Promise<Upload> {
  const { promise: failed, reject } = Promise.withResolvers<never>();
  // May be rejected when nothing waits for it any more.
  failed.catch(() => undefined);
  onFail(reject);
  const file = await openNameless();
  const chunks = request.iterator({ destroyOnReturn: false });
  let length = 0;
  try {
    while (true) {
      const { value, done } = await Promise.race([chunks.next(), failed]);
      if (done === true) break;
      length += value.length;
      if (length > maxBytes) throw refuse('payload_too_large');
      await file.appendFile(value);
    }
  } catch (error) {
    await file.close();
    throw error instanceof Refusal ? error : refuse('incomplete_body');
  } finally {
    void chunks.return?.();
  }
  return {
    read: () => file.createReadStream({ start: 0, autoClose: false }),
    close: () => file.close(),
  };
}

/** Unlinked at once: nothing is left of it when the process ends, however that is. */
async function openNameless(): Promise<FileHandle> {
  const path = join(tmpdir(), `counterfoil-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
}
