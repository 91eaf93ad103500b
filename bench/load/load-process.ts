/** The process of the load generator: runs the jobs that its parent sends, one after another. */
import type { Job } from './job.ts';
import { run } from './run.ts';

process.on('message', async (job: Job) => {
  process.send?.(await run(job));
});
process.on('disconnect', () => process.exit());
