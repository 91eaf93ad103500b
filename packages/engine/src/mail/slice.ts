/** The email service: mails that callers submit, and what the ledger mails by itself. */
import type { ErasureParts } from '../erasure/index.ts';
import type { MerchantAccountParts } from '../merchant-accounts/index.ts';
import type { SenderDomainParts } from '../sender-domains/index.ts';
import { type Base, slice, tenantPart } from '../slice.ts';
import { openOwn } from '../storage/own-tables.ts';
import type { SubscriptionParts } from '../subscriptions/index.ts';
import type { TenantParts } from '../tenants/index.ts';
import type { UserParts } from '../users/index.ts';
import { KeptMails } from './kept-mails.ts';
import { Letters } from './letters.ts';
import { MailLinks } from './mail-links.ts';
import { MailResponses } from './mail-responses.ts';
import { MailRoutes } from './mail-routes.ts';
import { MailSeal } from './mail-seal.ts';
import { MailViewer } from './mail-viewer.ts';
import { Mailing } from './mailing.ts';
import { Outbox, openMailTables } from './outbox.ts';
import { Resending } from './resending.ts';
import { Submissions } from './submissions.ts';
import { Suppressions } from './suppressions.ts';
import { mailTemplates } from './templates.ts';
import {
  MAIL_SETTINGS_CALLS,
  MAIL_SETTINGS_INPUTS,
  TenantMailSettings,
} from './tenant-mail-settings.ts';
import { MAIL_CALLS, MAIL_INPUTS, TenantMails } from './tenant-mails.ts';
import {
  SUPPRESSION_CALLS,
  SUPPRESSION_INPUTS,
  TenantSuppressions,
} from './tenant-suppressions.ts';

type Needs = Base &
  TenantParts &
  UserParts &
  SenderDomainParts &
  MerchantAccountParts &
  SubscriptionParts &
  ErasureParts;

export const MAIL = slice({
  scopes: {
    'mails:read': 'Read mails in the console, their settings, and the list of suppressions',
    'mails:write':
      'Change the settings of mails, add and remove suppressions, and send mails again',
  },
  make(parts: Needs) {
    const { settings, stores, clock, senderDomains, credentials: vault } = parts;
    const { mail, production, keepsMails = false } = settings;
    const tables = openOwn(parts, 'mails', openMailTables);
    const seal = new MailSeal(stores.masterKey);
    const outbox = new Outbox(tables);
    const mails = new KeptMails(tables);
    const suppressions = new Suppressions(tables, seal);
    const { commands } = parts;
    const routes = new MailRoutes({
      ...{ settings: mail, keepsMails, production, commands, senderDomains, vault },
    });
    const { publicUrl } = settings;
    const links = new MailLinks(seal, publicUrl);
    const canUnsubscribe = links.canBeMade;
    const keeps: typeof routes.keeps = (owner) => routes.keeps(owner);
    const checking = { seal, clock, canUnsubscribe, keeps };
    const submissions = new Submissions({ mails, senderDomains, ...checking });
    const { events } = stores;
    const letters = new Letters({ ...parts, events, publicUrl });
    const resending = new Resending({
      mails,
      letters,
      routes,
      senderDomains,
      suppressions,
      seal,
      clock,
    });
    const kept = { outbox, suppressions, seal, links };
    const sending = { settings: mail, keepsMails, routes, events, publicUrl, ...kept };
    const mailing = new Mailing({ ...parts, ...sending });
    parts.erasing.add(async ({ emails, ...owner }) => {
      for (const email of emails) {
        await mails.forget(seal.addressDigest(owner, email), clock.now());
        await suppressions.forget(owner, email);
      }
    });
    parts.scrubbed.push({ name: 'mails', scrub: () => outbox.scrub() });
    return {
      mailing,
      mailParts: {
        templates: mailTemplates(),
        submissions,
        mails,
        seal,
        routes,
        suppressions,
        resending,
        commands,
      },
      mailResponses: new MailResponses({ links, mails, suppressions, routes, seal, clock }),
      /** Undefined in production. */
      mailViewer: keepsMails ? new MailViewer(mails, seal) : undefined,
    };
  },
  tenant: (parts) => ({
    mails: tenantPart(
      MAIL_INPUTS,
      (acting) => new TenantMails(parts.mailParts, acting),
      MAIL_CALLS,
    ),
    suppressions: tenantPart(
      SUPPRESSION_INPUTS,
      (acting) => new TenantSuppressions({ ...parts.mailParts, clock: parts.clock }, acting),
      SUPPRESSION_CALLS,
    ),
    mailSettings: tenantPart(
      MAIL_SETTINGS_INPUTS,
      (acting) => new TenantMailSettings({ ...parts, ...parts.mailParts }, acting),
      MAIL_SETTINGS_CALLS,
    ),
  }),
  works: ({ mailing }) => mailing.works,
  followers: ({ mailing }, following) => [mailing.follow(following, following.headAtStart)],
  registerMetrics: ({ mailing }, metrics) => mailing.registerMetrics(metrics),
});
