/** Mails to customers. */
import { type Base, slice } from '../slice.ts';
import { openOwn } from '../storage/own-tables.ts';
import type { TenantParts } from '../tenants/index.ts';
import { Mailing } from './mailing.ts';
import { openOutbox } from './outbox.ts';

export const MAIL = slice({
  make(parts: Base & TenantParts) {
    const { settings, stores } = parts;
    const outbox = openOwn(parts, 'mails', openOutbox);
    const { events } = stores;
    return { mailing: new Mailing({ ...parts, settings: settings.mail, outbox, events }) };
  },
  works: ({ mailing }) => mailing.works,
  followers: ({ mailing }, following) => [mailing.follow(following, following.headAtStart)],
  registerMetrics: ({ mailing }, metrics) => mailing.registerMetrics(metrics),
});
