/** Parses the project's documents: code blocks, tables, headings and links. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT: string = fileURLToPath(new URL('../../', import.meta.url));

const SKIPPED_FOLDERS = new Set(['node_modules', '.git', 'dist', 'data', 'coverage', 'results']);

/** Every Markdown file of the project, by path. */
export function markdownFiles(): string[] {
  return filesIn(ROOT).map((path) => relative(ROOT, path).split(sep).join('/'));
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED_FOLDERS.has(entry.name) ? [] : filesIn(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

export function readDocument(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

export interface CodeBlock {
  readonly language: string;
  readonly code: string;
}

/** The text under a heading, down to the next of the same or a higher level. */
export function section(text: string, heading: string): string {
  const lines = text.split('\n');
  const from = lines.indexOf(heading);
  if (from < 0) throw new Error(`there is no heading "${heading}"`);
  const level = heading.indexOf(' ');
  const length = lines.slice(from + 1).findIndex((line) => {
    const marks = /^(#+) /.exec(line)?.[1];
    return marks !== undefined && marks.length <= level;
  });
  return lines.slice(from + 1, length < 0 ? undefined : from + 1 + length).join('\n');
}

export function codeBlocks(text: string): CodeBlock[] {
  const blocks = text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm);
  return [...blocks].map(([, language = '', code = '']) => ({ language, code }));
}

/** The rows of the tables in a text, without their heads, as trimmed cells. */
export function tableRows(text: string): string[][] {
  const lines = text.split('\n');
  return lines
    .filter((line, index) => line.startsWith('|') && !isRule(line) && !isRule(lines[index + 1]))
    .map((line) =>
      line
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim()),
    );
}

function isRule(line: string | undefined): boolean {
  return line !== undefined && /^\|(-+\|)+$/.test(line);
}

/** The code in a cell, if any. */
export function codeIn(cell: string | undefined): string | undefined {
  return /^`(.*)`$/.exec(cell ?? '')?.[1];
}

/** Link targets outside of code blocks. */
export function linksOf(text: string): string[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^()\s]+)\)/g)].map(([, target = '']) => target);
}

/** The anchors of headings. */
export function anchorsOf(text: string): Set<string> {
  const headings = text.matchAll(/^#+ (.*)$/gm);
  return new Set(
    [...headings].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}
