/** The first page of the console. */
import { consolePage, consoleSlice } from '../slice.ts';

const overview = consolePage({
  path: '/overview',
  title: 'Overview',
  template: '/overview/overview',
  load: async () => ({}),
});

export const OVERVIEW = consoleSlice({
  nav: { title: 'Overview', path: '/overview' },
  pages: [overview],
});
