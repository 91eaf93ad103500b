/** A project that uses the packages as anybody would: every subpath, in both resolutions, libraries checked. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface PackedPackage {
  readonly manifest: {
    readonly name: string;
    readonly exports: Readonly<Record<string, string>>;
    readonly peerDependencies?: Readonly<Record<string, string>>;
  };
  readonly tarball: string;
}

/** Module settings of a consumer that Node runs, and of one that is bundled. */
const RESOLUTIONS = { nodenext: 'nodenext', bundler: 'esnext' } as const;
/** Types of the platform, which every consumer on Node has. All others the packages have to bring. */
const PLATFORM = { '@types/node': '^24.0.0' };
/** Of its programs that are bundled. */
const BUNDLER = { esbuild: '^0.28.2' };
const PROGRAM = 'consumer.ts';

/** Writes it into a new folder; `projects` are for tsc, `program` for Node. */
export function writeConsumer(
  folder: string,
  packages: readonly PackedPackage[],
): { readonly projects: readonly string[]; readonly program: string } {
  mkdirSync(folder);
  const write = (name: string, content: object | string) =>
    writeFileSync(
      join(folder, name),
      typeof content === 'string' ? content : JSON.stringify(content),
    );
  const tarballs = Object.fromEntries(
    packages.map(({ manifest, tarball }) => [manifest.name, `file:${tarball}`]),
  );
  const peers = Object.assign({}, ...packages.map(({ manifest }) => manifest.peerDependencies));
  const dependencies = { ...PLATFORM, ...BUNDLER, ...peers, ...tarballs };
  write('package.json', { name: 'consumer', private: true, type: 'module', dependencies });
  // The packages name each other by versions that no registry has yet. JSON is YAML as well.
  write('pnpm-workspace.yaml', { overrides: tarballs });
  write(PROGRAM, programOf(packages));
  const projects = Object.entries(RESOLUTIONS).map(([moduleResolution, module]) => {
    const compilerOptions = {
      ...{ target: 'es2024', module, moduleResolution, types: ['node'] },
      ...{ strict: true, skipLibCheck: false, noEmit: true },
    };
    const project = `tsconfig.${moduleResolution}.json`;
    write(project, { compilerOptions, files: [PROGRAM] });
    return project;
  });
  return { projects, program: PROGRAM };
}

/** Imports every subpath and fails where one exports nothing. */
function programOf(packages: readonly PackedPackage[]): string {
  const subpaths = packages.flatMap(({ manifest }) =>
    Object.keys(manifest.exports).map((subpath) => join(manifest.name, subpath)),
  );
  return [
    ...subpaths.map((subpath, index) => `import * as module${index} from '${subpath}';`),
    `const modules = [${subpaths.map((_, index) => `module${index}`).join(', ')}];`,
    'for (const exported of modules) {',
    "  if (Object.keys(exported).length === 0) throw new Error('a subpath exports nothing');",
    '}',
    '',
  ].join('\n');
}
