/** Texts of the ledger's mails, shown with sample values to those who write them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MailProfile } from '@counterfoil/core';
import { openLedger, silentLogger } from '@counterfoil/engine';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ROOT } from '../docs/markdown.ts';
import { withShop } from './shop.ts';
import { TENANT } from './webhook-sink.ts';

const LETTERS = join(ROOT, 'packages/engine/src/mail/letters.ts');

async function settings() {
  const ledger = await openLedger({ storage: 'memory:', logger: silentLogger });
  onTestFinished(() => ledger.close());
  await withShop(ledger, TENANT);
  return ledger.as({ tenantId: TENANT, actor: 'owner' }).mailSettings;
}

describe('a text of a mail', () => {
  it.each(MailProfile.KINDS)(
    'about %s is shown as built in, and as one of its own',
    async (kind) => {
      const mailSettings = await settings();
      const shown = await mailSettings.preview({ kind });
      for (const part of [shown.subject, shown.text, shown.html]) {
        expect(part).not.toMatch(/undefined|\{\{/);
      }
      const { builtIn } = shown;
      const own = await mailSettings.preview({ kind, own: builtIn });
      expect(own.subject).toBe(shown.subject);
      // The same words; the table stands in lines.
      const [greeting = ''] = shown.text.split('\n').filter((line) => line.startsWith('Hello'));
      expect(greeting).toBe('Hello Ada,');
      expect(own.text).toContain(greeting);
      for (const name of builtIn.text.matchAll(/\{\{(\w+)\}\}/g)) {
        expect(Object.keys(shown.variables)).toContain(name[1]);
      }
    },
  );

  it('is what is sent now, the built-in one, or one that is tried', async () => {
    const mailSettings = await settings();
    const kind = 'refunded';
    const mine = { subject: 'Back: {{refunded}}', text: 'Dear {{firstName}},\n\nit is done.' };
    await mailSettings.change({ texts: { [kind]: mine } });
    expect(await mailSettings.preview({ kind })).toMatchObject({ subject: 'Back: 20.00 GBP' });
    const { subject } = await mailSettings.preview({ kind, own: null });
    expect(subject).toMatch(/^Your refund of 20\.00 GBP from /);
    const tried = { subject: 'For {{ada}}', text: '{{#if order}}Order {{order}}{{/if}} <b>' };
    const shown = await mailSettings.preview({ kind, own: tried });
    expect(shown).toMatchObject({
      subject: 'For',
      text: expect.stringContaining('Order 1001 <b>'),
    });
    expect(shown.html).toContain('Order 1001 &lt;b&gt;');
    expect((await mailSettings.get()).texts).toEqual({ [kind]: mine });
  });

  it('is refused where it cannot be rendered, with the place', async () => {
    const mailSettings = await settings();
    const own = { subject: 'Hello', text: 'first\n{{#if order}}' };
    const refused = mailSettings.preview({ kind: 'renewed', own });
    await expect(refused).rejects.toMatchObject({
      refusal: {
        type: 'MailInvalid',
        faults: [{ path: 'own/text', detail: expect.stringMatching(/line 2, column 1/) }],
      },
    });
  });

  it('may name all that mails have', async () => {
    const source = readFileSync(LETTERS, 'utf8');
    const labels = [...source.matchAll(/\['([A-Z][A-Za-z ]+)',/g)].map(([, label = '']) => label);
    expect(labels.length).toBeGreaterThan(10);
    const mailSettings = await settings();
    const previews = MailProfile.KINDS.map((kind) => mailSettings.preview({ kind, own: null }));
    const shown = (await Promise.all(previews)).map(({ text }) => text).join('\n');
    expect(labels.filter((label) => !shown.includes(label))).toEqual([]);
  });
});
