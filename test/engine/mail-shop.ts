/** A shop whose ledger mails over a real server, by a clock that the test moves. */
import { openLedger, silentLogger } from '@counterfoil/engine';
import { onTestFinished } from 'vitest';
import { MailServer, type MailServerOptions } from '../e2e/mail-server.ts';
import { withShop } from './shop.ts';
import { TENANT } from './webhook-sink.ts';

export const MINUTE_MS = 60_000;

export async function opened({
  storage = 'memory:',
  smtp = {},
}: {
  storage?: string;
  smtp?: MailServerOptions['smtp'];
} = {}) {
  const server = await MailServer.start({ smtp });
  onTestFinished(() => server.close());
  const clock = { nowMs: Date.now(), now: () => new Date(clock.nowMs).toISOString() };
  const ledger = await openLedger({
    storage,
    clock,
    logger: silentLogger,
    dueWorkIntervalMs: 3_600_000,
    mail: {
      server: { host: '127.0.0.1', port: server.port, secure: false, credentials: undefined },
      from: { name: 'Host', address: 'host@host.example' },
      sandbox: false,
    },
  });
  onTestFinished(() => ledger.close());
  await withShop(ledger, TENANT);
  const shop = ledger.as({ tenantId: TENANT, actor: 'owner' });
  const { id: domainId } = await shop.senderDomains.create({ domain: 'shop.example' });
  return { server, clock, ledger, shop, domainId };
}

export const mail = (more: object = {}) => ({
  from: 'Shop <post@shop.example>',
  to: 'ann@example.com' as string | string[],
  subject: 'Grüße',
  templateType: 'string' as const,
  templateContent: '<p>Hello {{name}}</p>',
  templateData: { name: 'Änn <3' },
  ...more,
});

/** Of a server. */
export const no = (code: number, message: string) => ({ code, message });
