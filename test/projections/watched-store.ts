/** Read-model stores whose commits are watched, or fail. */
import type { Build, ReadModelStore } from '@counterfoil/projections';

type Watch = (
  build: Build,
  commit: () => ReturnType<Build['commit']>,
) => ReturnType<Build['commit']>;

/** A store whose commits go through a watcher. */
export function watching(store: ReadModelStore, watch: Watch): ReadModelStore {
  const wrap = (build: Build): Build =>
    new Proxy(build, {
      get: (target, name) =>
        name === 'commit'
          ? (request: Parameters<Build['commit']>[0]) => watch(target, () => target.commit(request))
          : bound(target, name),
    });
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'live') {
        return async (projection: string) => {
          const build = await target.live(projection);
          return build === undefined ? undefined : wrap(build);
        };
      }
      if (name === 'createBuild') {
        return async (request: Parameters<ReadModelStore['createBuild']>[0]) =>
          wrap(await target.createBuild(request));
      }
      return bound(target, name);
    },
  });
}

function bound<Target extends object>(target: Target, name: string | symbol): unknown {
  const value: unknown = Reflect.get(target, name, target);
  return typeof value === 'function' ? value.bind(target) : value;
}

/** A store whose user crashes at a commit, before or after it was made: its leases stay as they are. */
export function crashing(
  store: ReadModelStore,
  at: number,
  when: 'before' | 'after',
): ReadModelStore {
  let commits = 0;
  let hasCrashed = false;
  const crash = (): never => {
    hasCrashed = true;
    throw new Error('crash');
  };
  const watched = watching(store, async (_, commit) => {
    commits += 1;
    const number = commits;
    if (hasCrashed || (number === at && when === 'before')) crash();
    const result = await commit();
    return number === at ? crash() : result;
  });
  return new Proxy(watched, {
    get: (target, name) =>
      name === 'releaseLease'
        ? async (lease: string, holder: string) => {
            if (!hasCrashed) await target.releaseLease(lease, holder);
          }
        : bound(target, name),
  });
}
