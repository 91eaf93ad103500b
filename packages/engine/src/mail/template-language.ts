/** The logic-less language of callers' templates: `{{variable}}` and `{{#if variable}}…{{/if}}`. */

/** In octets of UTF-8. */
export const MAX_TEMPLATE_BYTES = 256 * 1_024;
/** Of a rendered template, in characters: a small template may repeat a large value. */
export const MAX_RENDERED_LENGTH = 1_024 * 1_024;

/** Where a template is wrong, both from 1, and why: never its content. */
export interface TemplateFault {
  readonly line: number;
  readonly column: number;
  readonly detail: string;
}

/** One step of a template. A block is its condition, its content and nothing after: `end` is the step behind it. */
type Step =
  | { readonly text: string }
  | { readonly variable: readonly string[] }
  | { readonly condition: readonly string[]; end: number };

export type Template = readonly Step[];

export type Parsed = { readonly template: Template } | { readonly fault: TemplateFault };

const OPEN = '{{';
const CLOSE = '}}';
const MAX_TAG_LENGTH = 200;
const PATH = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/;
const IF = /^#\s*if(?:\s+(?<name>.*))?$/s;
const END_IF = /^\/\s*if$/;

/** In one pass, for any text; blocks may be nested to any depth. */
export function parseTemplate(source: string): Parsed {
  if (Buffer.byteLength(source) > MAX_TEMPLATE_BYTES) {
    const detail = `a template has at most ${MAX_TEMPLATE_BYTES} bytes`;
    return { fault: { line: 1, column: 1, detail } };
  }
  const template: Step[] = [];
  /** Of the blocks that are open, each with where it begins. */
  const open: { readonly step: { end: number }; readonly at: number }[] = [];
  let place = 0;
  for (;;) {
    const begin = source.indexOf(OPEN, place);
    const text = source.slice(place, begin < 0 ? undefined : begin);
    if (text !== '') template.push({ text });
    if (begin < 0) break;
    const tag = tagAt(source, begin);
    if ('detail' in tag) return { fault: faultAt(source, begin, tag.detail) };
    if (tag.kind === 'variable') template.push({ variable: tag.path });
    if (tag.kind === 'if') {
      const step = { condition: tag.path, end: 0 };
      template.push(step);
      open.push({ step, at: begin });
    }
    if (tag.kind === 'end') {
      const closed = open.pop();
      if (closed === undefined) {
        return { fault: faultAt(source, begin, '{{/if}} ends a block that no {{#if}} begins') };
      }
      closed.step.end = template.length;
    }
    place = tag.end;
  }
  const unclosed = open.at(-1);
  if (unclosed === undefined) return { template };
  return { fault: faultAt(source, unclosed.at, '{{#if}} has no {{/if}}') };
}

type Tag =
  | { readonly kind: 'variable' | 'if'; readonly path: readonly string[]; readonly end: number }
  | { readonly kind: 'end'; readonly end: number };

function tagAt(source: string, begin: number): Tag | { readonly detail: string } {
  // Bounded, so that many openings without an end are not searched to the end of the text each.
  const rest = source.slice(begin + OPEN.length, begin + MAX_TAG_LENGTH);
  const length = rest.indexOf(CLOSE);
  if (length < 0) {
    return { detail: `{{ has no }} within ${MAX_TAG_LENGTH} characters` };
  }
  const content = rest.slice(0, length).trim();
  const end = begin + OPEN.length + length + CLOSE.length;
  if (END_IF.test(content)) return { kind: 'end', end };
  const condition = IF.exec(content);
  const name = (condition === null ? content : (condition.groups?.['name'] ?? '')).trim();
  if (name === 'else') return { detail: '{{else}} is not known: use a second {{#if}}' };
  if (PATH.test(name)) {
    return { kind: condition === null ? 'variable' : 'if', path: name.split('.'), end };
  }
  return { detail: faultOfName(name, condition !== null) };
}

function faultOfName(name: string, isCondition: boolean): string {
  if (isCondition) return '{{#if}} takes one variable, such as {{#if order.isPaid}}';
  if (name === '') return 'a variable has no name';
  if (name.startsWith('{')) return '{{{ is not known: every value is escaped';
  if (/^[#/]/.test(name)) return 'this block is not known: there is {{#if variable}} and {{/if}}';
  return 'a variable is letters, digits, _ and -, with dots between its parts';
}

function faultAt(source: string, at: number, detail: string): TemplateFault {
  const before = source.slice(0, at);
  const lineBegin = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: at - lineBegin + 1, detail };
}

/** Ends a sentence that begins with the member that holds the template. */
export function faultInWords({ line, column, detail }: TemplateFault): string {
  return `is wrong at line ${line}, column ${column}: ${detail}`;
}

/** Undefined where the result would be longer than `MAX_RENDERED_LENGTH`. */
export function renderTemplate(
  template: Template,
  data: unknown,
  escapeValue: (value: string) => string,
): string | undefined {
  const parts: string[] = [];
  let length = 0;
  for (let index = 0; index < template.length; ) {
    const step = template[index] as Step;
    index += 1;
    if ('condition' in step) {
      if (!isTruthy(valueAt(data, step.condition))) index = step.end;
      continue;
    }
    const part = 'text' in step ? step.text : escapeValue(textOf(valueAt(data, step.variable)));
    length += part.length;
    if (length > MAX_RENDERED_LENGTH) return undefined;
    parts.push(part);
  }
  return parts.join('');
}

/** Own properties only: nothing that an object inherits can be named. */
function valueAt(data: unknown, path: readonly string[]): unknown {
  let value = data;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name))
      return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}

function isTruthy(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

/** Empty for what is missing, and for objects and lists, which have no text. */
function textOf(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
    case 'boolean':
    case 'bigint':
      return String(value);
    default:
      return '';
  }
}

const ESCAPED: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
  '=': '&#61;',
};

/** For content and for attributes, with quotes or without. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"'`=]/g, (character) => ESCAPED[character] ?? '');
}
