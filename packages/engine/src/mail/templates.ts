/** The built-in mail templates. Values are escaped. Tenants cannot supply templates. */
import { fileURLToPath } from 'node:url';
import { Eta } from 'eta';
import type { MailKind } from './outbox.ts';

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

export type Render = (kind: MailKind, facts: Facts, rows: readonly Row[]) => Parts;

/**
 * A template holds the subject, an empty line, and the paragraphs. It is rendered as text and as HTML.
 */
export function mailTemplates(): Render {
  const views = fileURLToPath(new URL('./templates', import.meta.url));
  // Line ends are significant in a text.
  const asText = new Eta({ views, autoEscape: false, autoTrim: false, cache: true });
  const asHtml = new Eta({ views, autoEscape: true, cache: true });
  return (kind, given, givenRows) => {
    const facts = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name, cleaned(value)]),
    );
    const rows = givenRows.map(([label, value]) => [label, inOneLine(value)]);
    const [title = '', ...paragraphs] = asText
      .render(kind, facts)
      .split(/\n{2,}/)
      .map(inOneLine)
      .filter((paragraph) => paragraph !== '');
    const subject = cut(title);
    const shown = { subject, company: facts['company'], paragraphs, rows };
    return {
      subject,
      text: asText.render('text-part', shown),
      html: asHtml.render('html-part', shown),
    };
  };
}

function cleaned(value: string | boolean): string | boolean {
  return typeof value === 'string' ? inOneLine(value) : value;
}

export function inOneLine(text: string): string {
  return text.replace(NOT_IN_A_LINE, ' ').replace(/ {2,}/g, ' ').trim();
}

function cut(text: string): string {
  const characters = [...text];
  if (characters.length <= MAX_SUBJECT_LENGTH) return text;
  return `${characters.slice(0, MAX_SUBJECT_LENGTH - 1).join('')}…`;
}
