/** Mails to customers and users. */
import { type Base, slice, tenantPart } from '../slice.ts';
import { openOwn } from '../storage/own-tables.ts';
import type { TenantParts } from '../tenants/index.ts';
import type { UserParts } from '../users/index.ts';
import { Mailing } from './mailing.ts';
import { openOutbox } from './outbox.ts';
import { TenantMails } from './tenant-mails.ts';

export const MAIL = slice({
  make(parts: Base & TenantParts & UserParts) {
    const { settings, stores } = parts;
    const outbox = openOwn(parts, 'mails', openOutbox);
    const { events } = stores;
    return { mailing: new Mailing({ ...parts, settings: settings.mail, outbox, events }) };
  },
  tenant: ({ settings }) => ({
    mails: tenantPart({}, (acting) => new TenantMails(settings.mail, acting), {}),
  }),
  works: ({ mailing }) => mailing.works,
  followers: ({ mailing }, following) => [mailing.follow(following, following.headAtStart)],
  registerMetrics: ({ mailing }, metrics) => mailing.registerMetrics(metrics),
});
