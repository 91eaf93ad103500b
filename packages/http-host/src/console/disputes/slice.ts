/** Disputes: the queue, each with its evidence, and its answers. */
import { consoleSlice } from '../slice.ts';
import { ANSWER_FORMS, ANSWER_PAGES } from './answers.ts';
import { detail, keepEvidence } from './detail.ts';
import { PATH, queue, SCOPE } from './queue.ts';

export const DISPUTES = consoleSlice({
  nav: { title: 'Disputes', key: 'd', path: PATH, scope: SCOPE },
  pages: [queue, detail, ...ANSWER_PAGES],
  forms: [keepEvidence, ...ANSWER_FORMS],
});
