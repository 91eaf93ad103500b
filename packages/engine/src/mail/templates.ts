/** The built-in mail templates. Values are escaped. Those of tenants are of the logic-less language. */
import { fileURLToPath } from 'node:url';
import type { MailProfile } from '@counterfoil/core';
import { Eta } from 'eta';
import type { MailKind } from './outbox.ts';
import { parseTemplate, renderTemplate } from './template-language.ts';

/** Mail clients truncate longer subjects. */
const MAX_SUBJECT_LENGTH = 150;

/** Characters that could end a line or change its direction. */
const NOT_IN_A_LINE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]+/gu;

/** Values common to all templates. */
export interface Facts {
  readonly company: string;
  /** Empty when unknown. */
  readonly firstName: string;
  readonly [name: string]: string | boolean;
}

export type Row = readonly [label: string, value: string];

export interface Parts {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** A link that stands out. */
export interface Button {
  readonly label: string;
  readonly url: string;
}

export interface Filled {
  readonly facts: Facts;
  readonly rows: readonly Row[];
  readonly button?: Button;
}

export interface OfKind extends Filled {
  /** A tag of BCP 47. */
  readonly language: string;
  /** In place of the built-in text and its rows. */
  readonly own?: MailProfile.Text | undefined;
}

/** What stands in both parts. */
interface Shown {
  readonly subject: string;
  readonly heading: string;
  readonly language: string;
  readonly company: string;
  readonly paragraphs: readonly string[];
  readonly rows: readonly Row[];
  readonly button?: Button | undefined;
}

export interface Templates {
  ofKind(kind: MailKind, of: OfKind): Parts;
  named(template: string, filled: Filled): Omit<Parts, 'subject'>;
  /** The built-in text of a kind and its table, as a text of a tenant's own. */
  asOwn(kind: MailKind, filled: Filled): MailProfile.Text;
  /** What texts of tenants may name, with its values. */
  valuesOf(filled: Filled): Readonly<Record<string, string | boolean>>;
}

/**
 * A template holds the subject or heading, an empty line, and the paragraphs. It is rendered as text and
 * as HTML.
 */
export function mailTemplates(): Templates {
  const views = fileURLToPath(new URL('./templates', import.meta.url));
  // Line ends are significant in a text.
  const asText = new Eta({ views, autoEscape: false, autoTrim: false, cache: true });
  const asHtml = new Eta({ views, autoEscape: true, cache: true });
  const partsOf = (shown: Shown): Parts => ({
    subject: shown.subject,
    text: asText.render('text-part', shown),
    html: asHtml.render('html-part', shown),
  });
  const valuesOf = ({ facts, rows }: Filled) => ({ ...facts, ...namedByLabel(rows) });
  return {
    valuesOf,
    asOwn(kind, { facts, rows }) {
      const names = mapped(facts, (_, name) => `{{${name}}}`);
      const [subject = '', ...paragraphs] = paragraphsOf(asText.render(kind, names));
      const lines = rows.map(([label]) => `${label}: {{${variableOf(label)}}}`);
      const text = [...paragraphs, ...lines].join('\n\n');
      // There may be none.
      const named = text.replace(' {{firstName}}', '{{#if firstName}} {{firstName}}{{/if}}');
      return { subject, text: named };
    },
    ofKind(kind, { facts: given, rows: givenRows, button, language, own }) {
      const facts = mapped(given, inOneLine);
      const rows = givenRows.map(([label, value]): Row => [label, inOneLine(value)]);
      const company = String(facts['company']);
      const frame = { heading: '', language, company };
      if (own !== undefined) {
        const values = valuesOf({ facts, rows });
        const paragraphs = paragraphsOf(ownText(own.text, values));
        return partsOf({
          ...frame,
          subject: cut(ownText(own.subject, values)),
          paragraphs,
          rows: [],
          // A text that does not lead there itself must not leave the reader without the link.
          button: paragraphs.some((each) => each.includes(button?.url ?? '')) ? undefined : button,
        });
      }
      const [title = '', ...paragraphs] = paragraphsOf(asText.render(kind, facts));
      return partsOf({ ...frame, subject: cut(title), paragraphs, rows, button });
    },
    named(template, { facts: given, rows, button }) {
      const facts = mapped(given, (value) => value.split('\n').map(inOneLine).join('\n'));
      const [heading = '', ...paragraphs] = paragraphsOf(asText.render(template, facts));
      const frame = { subject: heading, heading, language: 'en', company: '' };
      return partsOf({ ...frame, paragraphs, rows, button });
    },
  };
}

function paragraphsOf(text: string): readonly string[] {
  return text
    .split(/\n{2,}/)
    .map(inOneLine)
    .filter((paragraph) => paragraph !== '');
}

/** It was checked when it was set. */
function ownText(source: string, values: object): string {
  const read = parseTemplate(source);
  const text = 'template' in read && renderTemplate(read.template, values, (value) => value);
  if (typeof text !== 'string') throw new Error('a text of the tenant cannot be rendered');
  return text;
}

/** `On your statement as` as `onYourStatementAs`: what texts of tenants name it by. */
export function variableOf(label: string): string {
  const [first = '', ...others] = label.split(' ');
  const capitals = others.map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return first.charAt(0).toLowerCase() + first.slice(1) + capitals.join('');
}

function namedByLabel(rows: readonly Row[]): Readonly<Record<string, string>> {
  return Object.fromEntries(rows.map(([label, value]) => [variableOf(label), value]));
}

function mapped(facts: Facts, each: (value: string, name: string) => string): Facts {
  const entries = Object.entries(facts).map(([name, value]) => [
    name,
    typeof value === 'string' ? each(value, name) : value,
  ]);
  return Object.fromEntries(entries);
}

export function inOneLine(text: string): string {
  return text.replace(NOT_IN_A_LINE, ' ').replace(/ {2,}/g, ' ').trim();
}

function cut(subject: string): string {
  const text = inOneLine(subject);
  const characters = [...text];
  if (characters.length <= MAX_SUBJECT_LENGTH) return text;
  return `${characters.slice(0, MAX_SUBJECT_LENGTH - 1).join('')}…`;
}
