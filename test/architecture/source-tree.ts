/** The input of the architecture rules: parsed sources and manifests, from disk or from a sample. */
import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { type Node, parseSync } from 'oxc-parser';

export interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

export interface Reference {
  /** The imported module, as written. */
  readonly to: string;
  readonly line: number;
  /** A worker entry is started, not imported: it counts as an edge, but not in cycles. */
  readonly kind: 'import' | 'worker';
}

export interface SourceFile {
  /** From the root of the repository, with forward slashes. */
  readonly path: string;
  /** The workspace folder it belongs to: `packages/core`, `test`, `examples/demo`, ... */
  readonly folder: string;
  readonly program: Node;
  readonly references: readonly Reference[];
  lineOf(node: Node): number;
}

export interface SourceTree {
  /** By workspace folder. */
  readonly manifests: ReadonlyMap<string, Manifest>;
  readonly files: ReadonlyMap<string, SourceFile>;
}

export function readTree(root: string): SourceTree {
  const read = (pattern: string): Record<string, string> =>
    Object.fromEntries(
      globSync(pattern, { cwd: root, exclude: (path) => /(^|\/)(node_modules|dist)$/.test(path) })
        .map((path) => path.replaceAll('\\', '/'))
        .map((path) => [path, readFileSync(posix.join(root, path), 'utf8')]),
    );
  const sources = {
    ...read('packages/*/src/**/*.{ts,mjs}'),
    ...read('test/**/*.ts'),
    ...read('examples/**/*.ts'),
  };
  const manifests = read('{packages/*,test,examples,examples/*}/package.json');
  return makeTree(sources, manifests);
}

/** `sources` and `manifests` are texts by path. */
export function makeTree(
  sources: Readonly<Record<string, string>>,
  manifests: Readonly<Record<string, string>>,
): SourceTree {
  const byFolder = new Map<string, Manifest>(
    Object.entries(manifests).map(([path, text]) => [posix.dirname(path), JSON.parse(text)]),
  );
  return {
    manifests: byFolder,
    files: new Map(
      Object.entries(sources).map(([path, text]) => [path, parse(path, text, byFolder)]),
    ),
  };
}

/** The target of a relative reference; undefined for a package name. */
export function resolveRelative(file: SourceFile, reference: Reference): string | undefined {
  if (!reference.to.startsWith('.')) return undefined;
  return posix.join(posix.dirname(file.path), reference.to);
}

/** Visits every node below `root`, parents first. */
export function walk(root: Node, visit: (node: Node, parent: Node | undefined) => void): void {
  const step = (node: Node, parent: Node | undefined): void => {
    visit(node, parent);
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? value : [value]) {
        if (isNode(child)) step(child, node);
      }
    }
  };
  step(root, undefined);
}

function parse(path: string, text: string, manifests: SourceTree['manifests']): SourceFile {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const lineOf = (node: Node): number => text.slice(0, node.start).split('\n').length;

  const references: Reference[] = [];
  walk(program, (node) => {
    const found = referenceIn(node);
    if (found !== undefined) references.push({ ...found, line: lineOf(node) });
  });
  return { path, folder: folderOf(path, manifests), program, references, lineOf };
}

/** The nearest folder with a manifest: a package may lie within another one's folder. */
function folderOf(path: string, manifests: SourceTree['manifests']): string {
  for (let at = posix.dirname(path); at !== '.'; at = posix.dirname(at)) {
    if (manifests.has(at)) return at;
  }
  const [first = '', second = ''] = path.split('/');
  return first === 'packages' ? `${first}/${second}` : first;
}

function referenceIn(node: Node): Omit<Reference, 'line'> | undefined {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportAllDeclaration':
      return { to: node.source.value, kind: 'import' };
    case 'ExportNamedDeclaration':
      return node.source === null ? undefined : { to: node.source.value, kind: 'import' };
    case 'ImportExpression':
      return { to: textOf(node.source) ?? '(computed)', kind: 'import' };
    case 'TSImportType':
      return { to: node.source.value, kind: 'import' };
    case 'NewExpression':
      return workerEntryIn(node);
    default:
      return undefined;
  }
}

/** `new URL('./x.ts', import.meta.url)`: the reference to a worker's entry file. */
function workerEntryIn(
  node: Node & { type: 'NewExpression' },
): Omit<Reference, 'line'> | undefined {
  if (node.callee.type !== 'Identifier' || node.callee.name !== 'URL') return undefined;
  const [target, base] = node.arguments;
  const to = target === undefined ? undefined : textOf(target);
  if (to === undefined || !to.endsWith('.ts') || base === undefined) return undefined;
  return to.startsWith('.') ? { to, kind: 'worker' } : undefined;
}

function textOf(node: Node): string | undefined {
  return node.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}
