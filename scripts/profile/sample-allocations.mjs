/**
 * Samples the allocations of each thread that it is loaded into (`--import`), from when the file `begin`
 * is in the folder `ALLOCATIONS_DIR` until the thread ends, and writes them there with its entry file.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';

const LOOK_MS = 50;
/** Mean distance of two samples. */
const SAMPLE_BYTES = 16_384;

const folder = process.env.ALLOCATIONS_DIR ?? '.';
const session = new Session();

const looking = setInterval(() => {
  if (!existsSync(join(folder, 'begin'))) return;
  clearInterval(looking);
  session.connect();
  session.post('HeapProfiler.startSampling', {
    samplingInterval: SAMPLE_BYTES,
    // What was collected meanwhile counts too: garbage is what is looked for.
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  });
  process.once('exit', () => {
    session.post('HeapProfiler.stopSampling', (error, stopped) => {
      if (error !== null) return;
      writeFileSync(
        join(folder, `thread-${threadId}.heapprofile`),
        JSON.stringify({ ...stopped.profile, entry: process.argv[1] }),
      );
    });
  });
}, LOOK_MS);
looking.unref();
