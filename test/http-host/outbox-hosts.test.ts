/** Several hosts on one database: the lease to send mails may move, and each mail is sent by one of them. */

import { MailProfile, type StreamName, type TenantId } from '@counterfoil/core';
import { silentLogger } from '@counterfoil/engine';
import {
  type AskedMail,
  type Handover,
  KeptMails,
  type Mail,
  MailDelivery,
  type Mailer,
  MailSeal,
  type Outbox,
  openMailTables,
  openOutbox,
  type QueuedMail,
} from '@counterfoil/engine/mail';
import { type HostDatabase, openHostDatabase } from '@counterfoil/engine/storage';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createDatabase } from '../setup/databases.ts';

const NOW = '2026-03-01T12:00:00.000Z';
const LATER = '2026-03-01T12:01:00.000Z';
const MAILS = 150;
let databases: readonly HostDatabase[];
let drop: () => Promise<void>;
/** The same one, as each of two hosts has it open. */
let one: Outbox;
let two: Outbox;

beforeAll(async () => {
  const created = await createDatabase();
  drop = created.drop;
  databases = [await openHostDatabase(created.url), await openHostDatabase(created.url)];
});
afterAll(async () => {
  for (const database of databases) await database.close();
  await drop();
});
beforeEach(async () => {
  await databases[0]?.pool.query('TRUNCATE counterfoil_host.mails');
  [one, two] = databases.map(({ pool }) => openOutbox(pool)) as [Outbox, Outbox];
});

function asked(number: number): AskedMail {
  return {
    eventId: `event-${number}`,
    kind: 'refunded',
    tenantId: 1 as TenantId,
    sandbox: false,
    stream: 'transaction-1-x' as StreamName,
    revision: number,
    recordedAt: NOW,
  };
}

async function onlyDue(outbox: Outbox): Promise<QueuedMail> {
  const [mail, ...others] = await outbox.due(NOW, 9);
  if (mail === undefined || others.length > 0) throw new Error('not one mail is due');
  return mail;
}

/** As if the host that has them in hand had been silent for long. */
async function letClaimsEnd(): Promise<void> {
  await databases[0]?.pool.query(
    "UPDATE counterfoil_host.mails SET claimed_until = claimed_until - interval '1 hour'",
  );
}

function deliveryOf(outbox: Outbox, send: Mailer['send']): MailDelivery {
  return new MailDelivery({
    outbox,
    letters: {
      letterOf: async () => ({
        to: { name: '', address: 'ann@example.com' },
        subject: 'Refunded',
        text: '',
        html: '',
      }),
    },
    routes: {
      senderOf: async () => ({ name: '', address: 'receipts@shop.example' }),
      profileOf: async () => MailProfile.initial,
      routeOf: async () => ({ kind: 'server', key: '', mailer: { send, close: () => undefined } }),
    },
    links: { linked: (_id, _owner, content) => content },
    senderDomains: { senderOf: async () => undefined },
    suppressions: { among: async () => new Set(), add: async () => SUPPRESSED },
    seal: new MailSeal(Buffer.alloc(32, 7)),
    onFailed: async () => undefined,
    isServing: () => true,
    clock: { now: () => NOW },
    logger: silentLogger,
  });
}

const SUPPRESSED = {
  id: '',
  email: '',
  reason: 'bounce',
  note: '',
  sandbox: false,
  createdAt: NOW,
} as const;

const running = new AbortController().signal;

it('send each mail once, though both of them send', async () => {
  const mails = Array.from({ length: MAILS }, (_, index) => asked(index));
  // Both have read the same of the log, too.
  await Promise.all([one.queue(mails, NOW), two.queue(mails, NOW)]);
  const sent: string[] = [];
  const send = async ({ id }: Mail): Promise<Handover> => {
    sent.push(id);
    return { outcome: 'sent' };
  };
  await Promise.all([one, two].map((each) => deliveryOf(each, send).runDue(running)));
  expect(sent.toSorted()).toEqual(mails.map(({ eventId }) => eventId).toSorted());
  expect(await two.queuedCount()).toBe(0);
});

it('leave a mail to the one that is handing it over, until that one is taken for dead', async () => {
  await one.queue([asked(0)], NOW);
  const { promise: answered, resolve: answer } = Promise.withResolvers<Handover>();
  const { promise: offered, resolve: tellOffered } = Promise.withResolvers<void>();
  const slow = deliveryOf(one, () => {
    tellOffered();
    return answered;
  }).runDue(running);
  await offered;

  const sent: string[] = [];
  const next = deliveryOf(two, async ({ id }) => {
    sent.push(id);
    return { outcome: 'sent' };
  });
  await next.runDue(running);
  expect(sent).toEqual([]);
  expect(await two.nextDueAt()).toBe(NOW);
  await letClaimsEnd();
  await next.runDue(running);
  expect(sent).toEqual(['event-0']);

  // The news of the one that was silent comes too late to bring the mail back.
  answer({ outcome: 'put-off', reason: '451', unreachable: false });
  await slow;
  expect(await one.queuedCount()).toBe(0);
});

it('do not postpone what another is delivering', async () => {
  await one.queue([asked(0)], NOW);
  const mail = await onlyDue(one);
  expect(await one.claim(mail)).toBe(true);
  expect(await two.claim(mail)).toBe(false);
  await letClaimsEnd();
  expect(await two.claim(mail)).toBe(true);
  await one.putOff(mail.eventId, { tries: 1, dueAt: LATER, reason: '451', at: NOW });
  expect(await one.due(LATER, 9)).toEqual([]);
  await two.putOff(mail.eventId, { tries: 1, dueAt: NOW, reason: '421', at: NOW });
  expect(await onlyDue(one)).toEqual({ ...mail, tries: 1 });
});

it('let one of many claim an entry', async () => {
  await one.queue([asked(0)], NOW);
  const mail = await onlyDue(one);
  const claims = await Promise.all(
    Array.from({ length: 20 }, (_, index) => [one, two][index % 2]?.claim(mail)),
  );
  expect(claims.filter((isClaimed) => isClaimed)).toHaveLength(1);
});

it('accept one email for a key, whichever of them is asked and however often', async () => {
  const owner = { tenantId: 1 as TenantId, sandbox: false };
  const hosts = databases.map(({ pool }) => new KeptMails(openMailTables(pool)));
  const submitted = (id: number, key: string) => ({
    ...{ id: `mail-${id}`, owner, keyDigest: key, contentDigest: 'same', keyUntil: LATER },
    ...{ kind: 'submitted' as const, content: 'sealed', kept: false, recipients: [] },
  });
  const keys = Array.from({ length: 60 }, (_, index) => `key ${index % 20}`);
  const answers = await Promise.all(
    keys.flatMap((key, index) =>
      hosts.map(async (host, which) => {
        const named = await host.submit([submitted(2 * index + which, key)], NOW);
        return [key, named.get(key)?.id] as const;
      }),
    ),
  );
  const byKey = Map.groupBy(answers, ([key]) => key);
  expect(byKey.size).toBe(20);
  for (const named of byKey.values()) expect(new Set(named.map(([, id]) => id)).size).toBe(1);
  expect(await one.queuedCount()).toBe(20);
});
