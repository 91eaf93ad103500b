/** Webhooks: where events are sent, who sends signed messages, and what became of each delivery. */
import { consoleSlice } from '../slice.ts';
import { DELIVERY_FORMS, DELIVERY_PAGES } from './deliveries.ts';
import { ENDPOINT_FORMS, ENDPOINT_PAGES } from './endpoints.ts';
import { PATH, READ } from './words.ts';

export const WEBHOOKS = consoleSlice({
  nav: { title: 'Webhooks', key: 'w', path: PATH, scope: READ },
  pages: [...ENDPOINT_PAGES, ...DELIVERY_PAGES],
  forms: [...ENDPOINT_FORMS, ...DELIVERY_FORMS],
});
