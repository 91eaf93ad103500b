/** The glossary: the same terms in the documentation, the reference and the console, and none that lacks. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readDocument } from '../docs/markdown.ts';
import { openTenant, type Running, startHost } from '../e2e/running-host.ts';
import { openUser, Visitor } from './console-visitor.ts';

const TENANT = 63;
const OWNER = 'owner@example.com';
const GLOSSARY = '/console/live/glossary';

// biome-ignore lint/suspicious/noExplicitAny: the document is looked into as a reader would
type Json = any;

let running: Running;
let owner: Visitor;
let document: Json;
/** The chapter of the reference. */
let chapter: string;

beforeAll(async () => {
  running = await startHost();
  await openTenant(running, TENANT);
  await openUser(running, TENANT, { email: OWNER, roleIds: ['owner'] });
  owner = new Visitor(running.url);
  await owner.signIn(TENANT, OWNER);
  document = await (await fetch(`${running.url}/openapi.json`)).json();
  chapter = document.info.description.split('\n# Glossary\n')[1] ?? '';
});
afterAll(() => running.close());

function termsOfReference(): string[] {
  return [...chapter.matchAll(/^- \*\*(.+?)\.\*\*/gm)].map(([, term = '']) => term);
}

describe('the reference', () => {
  it('has the terms of the documentation', () => {
    const written = readDocument('docs/glossary.md').replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1');
    const expected = [...written.matchAll(/^(?:## (.+)|### (.+)\n\n(.+))$/gm)];
    const served = [...chapter.matchAll(/^(?:## (.+)|- \*\*(.+?)\.\*\* (.+))$/gm)];
    expect(served.length).toBeGreaterThan(70);
    expect(served.map(([, ...parts]) => parts)).toEqual(expected.map(([, ...parts]) => parts));
  });

  it('explains the abbreviations of its fields, values and descriptions', () => {
    const { said, names } = wordsOf(document);
    expect(IN_NAMES.filter((name) => !names.has(name))).toEqual([]);
    const others = said.filter((word) => !TECHNICAL.has(word) && !WORDS.has(word));
    expect(others).toEqual(expect.arrayContaining(['BIN', 'CDRN', 'RDR']));
    const used = [...others, ...IN_NAMES.map((name) => name.toUpperCase())];
    expect(used.filter((word) => !termsOfReference().includes(word))).toEqual([]);
  });
});

/** Of the interface itself, and of what it is made of. */
const TECHNICAL = new Set(
  'API ASCII CORS CSV GBP GMT HTML HTTP ID IP ISO JPEG JSON PDF PEM PNG POST PUT RFC RSA SHA STARTTLS TIFF TLS US UTF ZIP'.split(
    ' ',
  ),
);
/** Kinds of addresses. */
const WORDS = new Set(['DEFAULT', 'SHIPPING']);
/** In names of fields, where they are not in capitals. */
const IN_NAMES = 'arn avs bin caid cdrn cvv dkim mcc mid mrr psp rdr'.split(' ');

interface Words {
  /** In capitals, of descriptions and values. */
  readonly said: readonly string[];
  /** Of names of fields, in small letters. */
  readonly names: ReadonlySet<string>;
}

function wordsOf({ paths, components }: Json): Words {
  const said = new Set<string>();
  const names = new Set<string>();
  const visit = (node: Json) => {
    if (typeof node !== 'object' || node === null) return;
    for (const text of [node.description, node.summary, ...(node.enum ?? [])]) {
      if (typeof text !== 'string') continue;
      for (const [, word = ''] of text.matchAll(/\b([A-Z]{2,})s?\b/g)) said.add(word);
    }
    for (const name of Object.keys(node.properties ?? {})) {
      for (const [word] of name.matchAll(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g)) {
        names.add(word.toLowerCase());
      }
    }
    for (const [name, child] of Object.entries(node)) {
      if (name !== 'example' && name !== 'examples') visit(child);
    }
  };
  visit({ paths, components });
  return { said: [...said], names };
}

describe('the console', () => {
  it('leads to the terms from the foot of a page', async () => {
    for (const environment of ['live', 'test']) {
      const { text } = await owner.get(`/console/${environment}/overview`);
      const foot = text.slice(text.indexOf('<footer'));
      expect(foot).toContain(`href="/console/${environment}/glossary"`);
    }
  });

  it('lists the terms of the reference, each under an anchor of its own', async () => {
    const { text } = await owner.get(GLOSSARY);
    const shown = [...text.matchAll(/<dt id="([a-z0-9-]+)">(.+?)<\/dt>/g)];
    expect(shown.map(([, , term]) => term)).toEqual(termsOfReference());
    expect(new Set(shown.map(([, anchor]) => anchor)).size).toBe(shown.length);
    expect(text).toContain('<code>live</code>');
    expect(text).not.toMatch(/<dd>[^<]*`/);
  });

  it('leads to a term from where it stands as a label', async () => {
    const { disputes } = running.host.engine.as({ tenantId: TENANT, actor: OWNER });
    const { disputeId } = await disputes.reportAlert({
      provider: 'acquirer',
      reference: 'alert-1',
      orderId: 4_711,
      amount: '10.00',
      currency: 'GBP',
      type: 'EarlyFraudWarning',
      source: 'RDR',
    });
    const anchors = async (path: string) => {
      const { text } = await owner.get(path);
      return [...text.matchAll(/class="term" href="([^"#]+)#([^"]+)"/g)].map(([, to, anchor]) => {
        expect(to).toBe(GLOSSARY);
        return anchor;
      });
    };
    const { text } = await owner.get(GLOSSARY);
    const known = await anchors(`/console/live/disputes/${disputeId}`);
    expect(known).toEqual(['alert', 'early-fraud-warning', 'rdr', 'mid']);
    expect(known.filter((anchor) => !text.includes(`<dt id="${anchor}">`))).toEqual([]);
    expect(await anchors('/console/live/disputes')).toEqual(['early-fraud-warning']);
    expect(await anchors('/console/live/merchant-accounts')).toEqual(['mid']);
  });
});
