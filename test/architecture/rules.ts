/** The architecture rules: functions from a source tree to a list of violations. */
import { posix } from 'node:path';
import type { Node } from 'oxc-parser';
import { resolveRelative, type SourceFile, type SourceTree, walk } from './source-tree.ts';

export type Rule = (tree: SourceTree) => readonly string[];

/** The allowed dependencies of each package: a new one must be added here. Other folders may use all. */
const FLOORS: Readonly<Record<string, readonly string[]>> = {
  '@counterfoil/core': [],
  '@counterfoil/widget': [],
  '@counterfoil/client': [],
  '@counterfoil/gateway-stripe': ['@counterfoil/engine'],
  '@counterfoil/event-stores': ['@counterfoil/core'],
  '@counterfoil/projections': ['@counterfoil/core'],
  '@counterfoil/engine': [
    '@counterfoil/core',
    '@counterfoil/event-stores',
    '@counterfoil/projections',
  ],
  '@counterfoil/http-host': [
    '@counterfoil/core',
    '@counterfoil/engine',
    '@counterfoil/event-stores',
    '@counterfoil/projections',
  ],
};

const SCOPE = '@counterfoil/';
const CORE = 'packages/core';

/** Imports follow the order of the packages, and use exported subpaths only. */
export const importFloors: Rule = (tree) => {
  const manifestOf = new Map([...tree.manifests.values()].map((each) => [each.name, each]));
  return eachReference(tree, (file, reference) => {
    const target = resolveRelative(file, reference);
    if (target !== undefined) {
      const home = file.folder.startsWith('packages/') ? `${file.folder}/src` : file.folder;
      const folder = tree.files.get(target)?.folder ?? file.folder;
      return target.startsWith(`${home}/`) && folder === file.folder
        ? undefined
        : `leaves its package by ${reference.to}; import the package's name instead`;
    }
    if (!reference.to.startsWith(SCOPE)) return undefined;

    const name = packageName(reference.to);
    const own = tree.manifests.get(file.folder)?.name ?? '';
    const mayImport = !file.folder.startsWith('packages/') || FLOORS[own]?.includes(name) === true;
    if (!mayImport) return `${own} may not import ${name}`;
    const subpath = `.${reference.to.slice(name.length)}`;
    return manifestOf.get(name)?.exports?.[subpath] === undefined
      ? `${reference.to} is not among the exports of ${name}`
      : undefined;
  });
};

/** Imports what the configuration names. */
const LOADS_BY_NAME = 'packages/http-host/src/load-gateways.ts';

/** A package must declare what it imports: the workspace would hide a dependency that a consumer lacks. */
export const declaredDependencies: Rule = (tree) =>
  eachReference(tree, (file, reference) => {
    const manifest = tree.manifests.get(file.folder);
    const { to } = reference;
    if (isTest(file) || /^(\.|node:)/.test(to)) return undefined;
    if (file.path === LOADS_BY_NAME && to === '(computed)') return undefined;
    const name = packageName(to);
    const declared = {
      ...manifest?.dependencies,
      ...manifest?.peerDependencies,
      ...(!file.folder.startsWith('packages/') && manifest?.devDependencies),
    };
    return declared[name] === undefined
      ? `${name} is not a dependency of ${manifest?.name}`
      : undefined;
  });

/** Production code does not import what is published for tests. */
export const testingStaysApart: Rule = (tree) =>
  eachReference(tree, (file, reference) => {
    if (!file.folder.startsWith('packages/') || isTest(file) || isTesting(file.path)) {
      return undefined;
    }
    const target = resolveRelative(file, reference) ?? reference.to;
    return isTesting(target) || /^@counterfoil\/[^/]+\/testing$/.test(target)
      ? `production code imports ${reference.to}`
      : undefined;
  });

const ENGINE = 'packages/engine/src';
/** Folders of the engine that are not slices. */
const SHARED_FOLDERS = [
  'backup',
  'doctor',
  'gateways',
  'input',
  'move',
  'personal-keys',
  'runtime',
  'storage',
  'testing',
];

function sliceOf(path = ''): string | undefined {
  const folder = path.startsWith(`${ENGINE}/`) ? path.split('/')[3] : undefined;
  return folder?.endsWith('.ts') || SHARED_FOLDERS.includes(folder ?? '') ? undefined : folder;
}

/** A slice of the engine imports no file of another one but its `index.ts`. */
export const slicesMeetAtTheirFaces: Rule = (tree) =>
  eachReference(tree, (file, reference) => {
    const target = resolveRelative(file, reference);
    const [own, other] = [sliceOf(file.path), sliceOf(target)];
    if (isTest(file) || own === undefined || other === undefined || own === other) return undefined;
    return target === `${ENGINE}/${other}/index.ts`
      ? undefined
      : `reaches into the slice ${other}; import its index.ts instead`;
  });

export const slicesAreListed: Rule = (tree) => {
  const listed = neighbours(tree, `${ENGINE}/slices.ts`, ['import']);
  const slices = new Set([...tree.files.keys()].flatMap((path) => sliceOf(path) ?? []));
  return [...slices]
    .filter((each) => !listed.includes(`${ENGINE}/${each}/slice.ts`))
    .map((each) => `${ENGINE}/${each} does not stand in ${ENGINE}/slices.ts`);
};

export const noCircles: Rule = (tree) => {
  const circles: string[] = [];
  const done = new Set<string>();
  const trail: string[] = [];
  const visit = (path: string): void => {
    const start = trail.indexOf(path);
    if (start >= 0) {
      circles.push([...trail.slice(start), path].join(' -> '));
      return;
    }
    if (done.has(path)) return;
    trail.push(path);
    for (const next of neighbours(tree, path, ['import'])) visit(next);
    trail.pop();
    done.add(path);
  };
  for (const path of tree.files.keys()) visit(path);
  return circles;
};

/** The scripts of the host's own pages, which scripts/build-widget.ts bundles. */
const BUNDLED = ['frame', 'challenge', 'authenticate'].map(
  (name) => `packages/widget/src/${name}.ts`,
);

/** Every file of a package is reachable from what the package exports, runs or starts as a worker. */
export const noDeadFiles: Rule = (tree) => {
  const reached = new Set<string>();
  const reach = (path: string): void => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const next of neighbours(tree, path, ['import', 'worker'])) reach(next);
  };
  for (const path of BUNDLED) reach(path);
  for (const [folder, manifest] of tree.manifests) {
    for (const entry of [
      ...Object.values(manifest.exports ?? {}),
      ...Object.values(manifest.bin ?? {}),
    ]) {
      reach(posix.join(folder, entry));
    }
  }
  return [...tree.files.values()]
    .filter((file) => file.folder.startsWith('packages/') && !isTest(file))
    .filter((file) => !reached.has(file.path))
    .map((file) => `${file.path} is reached by no export, bin or worker`);
};

/** Relative imports and declared entries name files that exist, with their extension. */
export const noMissingFiles: Rule = (tree) => {
  const missing = eachReference(tree, (file, reference) => {
    const target = resolveRelative(file, reference);
    return target === undefined || !/\.[jt]s$|\/[^.]*$/.test(target) || tree.files.has(target)
      ? undefined
      : `${reference.to} does not exist (write the .ts)`;
  });
  const entries = [...tree.manifests].flatMap(([folder, manifest]) =>
    [...Object.values(manifest.exports ?? {}), ...Object.values(manifest.bin ?? {})]
      .map((entry) => posix.join(folder, entry))
      .filter((entry) => !tree.files.has(entry))
      .map((entry) => `${folder}/package.json: ${entry} does not exist`),
  );
  return [...missing, ...entries];
};

/** The core is deterministic: time, ids and randomness arrive in the command. */
export const corePurity: Rule = (tree) => {
  const pure = [...tree.files.values()].filter(
    (file) => file.folder === CORE && !isTest(file) && !isTesting(file.path),
  );
  const found: string[] = [];
  for (const file of pure) {
    for (const { to, line } of file.references) {
      if (to.startsWith('.') || to === 'zod' || /^fp-ts\/lib\/[A-Za-z]+\.js$/.test(to)) continue;
      found.push(`${file.path}:${line} the core may not import ${to}`);
    }
    walk(file.program, (node, parent) => {
      const what = impurity(node, parent);
      if (what !== undefined) found.push(`${file.path}:${file.lineOf(node)} the core uses ${what}`);
    });
  }
  return found;
};

const IMPURE_GLOBALS: ReadonlySet<string> = new Set([
  'Buffer',
  'console',
  'crypto',
  'fetch',
  'global',
  'globalThis',
  'performance',
  'process',
  'queueMicrotask',
  'require',
  'setImmediate',
  'setInterval',
  'setTimeout',
]);

function impurity(node: Node, parent: Node | undefined): string | undefined {
  if (node.type === 'NewExpression' && isGlobal(node.callee, 'Date')) {
    return node.arguments.length === 0 ? 'new Date() without an argument' : undefined;
  }
  if (node.type === 'CallExpression' && isGlobal(node.callee, 'Date')) return 'Date()';
  if (node.type === 'MemberExpression') {
    if (isGlobal(node.object, 'Date') && propertyOf(node) === 'now') return 'Date.now';
    if (isGlobal(node.object, 'Math') && propertyOf(node) === 'random') return 'Math.random';
  }
  return node.type === 'Identifier' && IMPURE_GLOBALS.has(node.name) && isRead(node, parent)
    ? node.name
    : undefined;
}

const VAGUE_NAME = /^(utils?|helpers?|common|managers?|misc|.*-(utils?|helpers?|manager))$/;

/** Vague names collect unrelated code. */
export const noVagueNames: Rule = (tree) =>
  [...tree.files.keys()]
    .filter((path) =>
      path.split('/').some((part) => VAGUE_NAME.test(part.replace(/(\.test)?\.ts$/, ''))),
    )
    .map((path) => `${path} is named after nothing it does`);

/** The engine has no interface: it listens to nothing. */
export const engineServesNothing: Rule = (tree) =>
  eachReference(tree, (file, { to }) =>
    file.folder === 'packages/engine' && !isTest(file) && file.path !== POSTS && SERVES.test(to)
      ? `${to} is for interfaces, not for the engine`
      : undefined,
  );

/** It sends webhooks, and listens to nothing either. */
const POSTS = 'packages/engine/src/webhooks/transport.ts';
const SERVES =
  /^(node:)?(http|https|http2)$|^(fastify|express|find-my-way|prom-client|zod-openapi)$/;

const WRITERS = [
  'packages/event-stores/src/sqlite/writer-worker.ts',
  'packages/engine/src/activity/activity-worker.ts',
];

/** The threads that write files load no other package of the project: that takes longer than to open a file. */
export const writersLoadLittle: Rule = (tree) => {
  const loaded = new Set<string>();
  const load = (path: string): void => {
    if (loaded.has(path)) return;
    loaded.add(path);
    for (const next of neighbours(tree, path, ['import'])) load(next);
  };
  for (const path of WRITERS) if (tree.files.has(path)) load(path);
  return [...loaded].flatMap((path) =>
    importsAtRuntime(tree, path)
      .filter((name) => name.startsWith('@counterfoil/'))
      .map((name) => `${path} loads ${name}`),
  );
};

function importsAtRuntime(tree: SourceTree, path: string): readonly string[] {
  const names: string[] = [];
  const file = tree.files.get(path);
  if (file === undefined) return names;
  walk(file.program, (node) => {
    if (node.type !== 'ImportDeclaration' || node.importKind === 'type') return;
    const specifiers = node.specifiers;
    const isTypes = (each: (typeof specifiers)[number]) =>
      each.type === 'ImportSpecifier' && each.importKind === 'type';
    if (specifiers.length === 0 || !specifiers.every(isTypes)) names.push(node.source.value);
  });
  return names;
}

const API = 'packages/http-host/src/api/';
/** The files of a slice whose names interfaces may know: its calls for a tenant, what they take and show, and refusals. */
const OF_THE_FACE = /\/(tenant-[^/]+|[^/]+-(input|view)|batch|refusals)\.ts$/;

/** Endpoints call the ledger of their caller, and no use case beneath it. */
export const endpointsStandOnTheFace: Rule = (tree) => {
  const beneath = new Set(
    namesExportedFrom(tree, `${ENGINE}/index.ts`).flatMap(({ name, target }) =>
      sliceOf(target) === undefined || OF_THE_FACE.test(target) ? [] : name,
    ),
  );
  beneath.add('Engine').add('openEngine');
  return [...tree.files.values()].flatMap((file) => {
    if (!file.path.startsWith(API) || isTest(file)) return [];
    const found: string[] = [];
    const report = (node: Node, what: string): void => {
      found.push(`${file.path}:${file.lineOf(node)} uses ${what}; call ledgerFor instead`);
    };
    walk(file.program, (node) => {
      if (node.type !== 'ImportDeclaration') return;
      const { value: to } = node.source;
      if (!to.startsWith('@counterfoil/engine')) return;
      if (!/^@counterfoil\/engine(\/input)?$/.test(to)) report(node, to);
      for (const each of node.specifiers) {
        const name = each.type === 'ImportSpecifier' ? nameOf(each.imported) : '*';
        if (to === '@counterfoil/engine' && (name === '*' || beneath.has(name))) report(each, name);
      }
    });
    return found;
  });
};

/** The names that a face exports, each with the file that it comes from. */
function namesExportedFrom(tree: SourceTree, path: string) {
  const file = tree.files.get(path);
  const found: { readonly name: string; readonly target: string }[] = [];
  if (file === undefined) return found;
  walk(file.program, (node) => {
    if (node.type !== 'ExportNamedDeclaration' || node.source === null) return;
    const reference = { to: node.source.value, line: 0, kind: 'import' as const };
    const target = resolveRelative(file, reference) ?? '';
    for (const { exported } of node.specifiers) found.push({ name: nameOf(exported), target });
  });
  return found;
}

function nameOf(name: Node): string {
  if (name.type === 'Identifier') return name.name;
  return name.type === 'Literal' ? String(name.value) : '';
}

/** The host is assembled in one place. */
export const oneCompositionRoot: Rule = (tree) =>
  eachReference(tree, (file, { to }) =>
    file.folder.startsWith('packages/') &&
    (to === 'tsyringe' || to === 'reflect-metadata') &&
    file.path !== 'packages/http-host/src/composition-root.ts'
      ? `${to} belongs in composition-root.ts alone`
      : undefined,
  );

const READS_ITS_PROCESS =
  /^packages\/(http-host\/src\/((main|config|composition-root)\.ts$|cli\/)|engine\/src\/runtime\/process-holder\.ts$)/;

/** Configuration is read once, at the entry points, and passed on. */
export const processAtTheEdge: Rule = (tree) => {
  const found: string[] = [];
  for (const file of tree.files.values()) {
    if (!file.folder.startsWith('packages/') || isTest(file)) continue;
    if (READS_ITS_PROCESS.test(file.path)) continue;
    for (const { to, line } of file.references) {
      if (/^(node:)?process$/.test(to)) found.push(`${file.path}:${line} imports ${to}`);
    }
    walk(file.program, (node, parent) => {
      if (node.type === 'Identifier' && node.name === 'process' && isRead(node, parent)) {
        found.push(`${file.path}:${file.lineOf(node)} reads process`);
      }
    });
  }
  return found;
};

function eachReference(
  tree: SourceTree,
  judge: (file: SourceFile, reference: SourceFile['references'][number]) => string | undefined,
): readonly string[] {
  return [...tree.files.values()].flatMap((file) =>
    file.references.flatMap((reference) => {
      const fault = judge(file, reference);
      return fault === undefined ? [] : [`${file.path}:${reference.line} ${fault}`];
    }),
  );
}

function neighbours(
  tree: SourceTree,
  path: string,
  kinds: readonly ('import' | 'worker')[],
): readonly string[] {
  const file = tree.files.get(path);
  if (file === undefined) return [];
  return file.references
    .filter((reference) => kinds.includes(reference.kind))
    .flatMap((reference) => resolveRelative(file, reference) ?? [])
    .filter((target) => tree.files.has(target));
}

function packageName(specifier: string): string {
  const [first = '', second = ''] = specifier.split('/');
  return first.startsWith('@') ? `${first}/${second}` : first;
}

function isTest(file: SourceFile): boolean {
  return file.path.endsWith('.test.ts');
}

function isTesting(path: string): boolean {
  return /^packages\/[^/]+\/src\/testing\//.test(path);
}

function isGlobal(node: Node, name: string): boolean {
  return node.type === 'Identifier' && node.name === name;
}

function propertyOf(node: Node & { type: 'MemberExpression' }): string | undefined {
  if (node.property.type === 'Identifier' && !node.computed) return node.property.name;
  return node.property.type === 'Literal' ? String(node.property.value) : undefined;
}

/** Whether the identifier is a value, not a property, type or label. */
function isRead(node: Node, parent: Node | undefined): boolean {
  switch (parent?.type) {
    case 'MemberExpression':
      return parent.object === node || parent.computed;
    case 'Property':
      return parent.value === node || parent.computed;
    case 'PropertyDefinition':
      return parent.value === node || parent.computed;
    case 'MethodDefinition':
    case 'TSPropertySignature':
    case 'TSMethodSignature':
    case 'TSEnumMember':
    case 'TSTypeReference':
    case 'TSQualifiedName':
    case 'LabeledStatement':
    case 'ImportSpecifier':
    case 'ExportSpecifier':
      return false;
    default:
      return true;
  }
}

/** Published code runs where code generation from strings is disabled. */
export const noCodeFromText: Rule = (tree) => {
  const found: string[] = [];
  for (const file of tree.files.values()) {
    if (!file.folder.startsWith('packages/') || isTest(file)) continue;
    walk(file.program, (node) => {
      const isCall = node.type === 'NewExpression' || node.type === 'CallExpression';
      if (!isCall || node.callee.type !== 'Identifier') return;
      const { name } = node.callee;
      if (name === 'Function' || name === 'eval') {
        found.push(`${file.path}:${file.lineOf(node)} makes code from text with ${name}`);
      }
    });
  }
  return found;
};
