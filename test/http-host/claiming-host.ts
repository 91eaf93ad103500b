/** A host in a process of its own, to be killed while it answers: claims a key, says so, and never ends. */
import { openHostDatabase, openSharedAnswers } from '@counterfoil/engine/storage';
import { Idempotency } from '@counterfoil/http-host/http';

const [, , url = '', scope = '[]', fingerprint = ''] = process.argv;
const { pool } = await openHostDatabase(url);
const idempotency = new Idempotency({
  store: openSharedAnswers({ pool }),
  secret: Buffer.alloc(32),
  onStoreFailure: (error) => {
    throw error;
  },
});
await idempotency.run({ scope: JSON.parse(scope) as string[], fingerprint }, () => {
  process.stdout.write('at work\n');
  return new Promise<never>(() => undefined);
});
