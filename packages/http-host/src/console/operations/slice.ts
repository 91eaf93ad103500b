/** Operations: of the host, and so of all its companies; for its operators alone. */
import { consoleSlice } from '../slice.ts';
import { doctor, examine } from './doctor.ts';
import { host } from './host.ts';
import { parked, retry, retryAll } from './parked.ts';
import { count, readModel, rebuild, rebuildReview } from './read-models.ts';
import { PATH, SCOPE } from './words.ts';
import { stop } from './work.ts';

export const OPERATIONS = consoleSlice({
  nav: { title: 'Operations', key: 'p', path: PATH, scope: SCOPE },
  pages: [host, readModel, rebuildReview, parked, doctor],
  forms: [count, rebuild, retry, retryAll, examine, stop],
});
