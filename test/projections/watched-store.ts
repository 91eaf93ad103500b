/** Read-model stores whose commits or searches are watched, or fail. */
import type { Build, ReadModelStore, Walk } from '@counterfoil/projections';

type Watch = (
  build: Build,
  commit: () => ReturnType<Build['commit']>,
) => ReturnType<Build['commit']>;

/** A store whose commits go through a watcher. */
export function watching(store: ReadModelStore, watch: Watch): ReadModelStore {
  return wrapping(store, (build) => ({
    commit: (request) => watch(build, () => build.commit(request)),
  }));
}

/** A store that tells of each walk, and of each question for the revision of a partition. */
export function watchingReads(
  store: ReadModelStore,
  tell: (read: Walk | 'revision') => void,
): ReadModelStore {
  return wrapping(store, (build) => ({
    walk: (walk) => {
      tell(walk);
      return build.walk(walk);
    },
    revision: (partition) => {
      if (partition !== undefined) tell('revision');
      return build.revision(partition);
    },
  }));
}

/** A store with builds that do some things in another way. */
function wrapping(
  store: ReadModelStore,
  otherwise: (build: Build) => Partial<Build>,
): ReadModelStore {
  const wrap = (build: Build): Build => {
    const ways = otherwise(build);
    return new Proxy(build, {
      get: (target, name) => Reflect.get(ways, name) ?? bound(target, name),
    });
  };
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'live') {
        return async (projection: string) => {
          const build = await target.live(projection);
          return build === undefined ? undefined : wrap(build);
        };
      }
      if (name === 'liveOf') {
        return async (projections: readonly string[]) =>
          (await target.liveOf(projections)).map((build) => build && wrap(build));
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
