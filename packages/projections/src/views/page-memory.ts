/** Where the pages of recent searches start, so that a deep page is not counted up to again. */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Anchor } from '../read-model-store.ts';

/** What all starts together may take. */
const MAX_BYTES = 8 * 2 ** 20;
/** Of an entry beside its texts: the objects, and its place in the cache. */
const ENTRY_BYTES = 200;
const BYTES_A_CHARACTER = 2;
/** The most pages that are skipped from a remembered one. */
const NEAR_PAGES = 5;

/** Names a search. A filter may be as large as a request: its digest stands for it. */
export function searchName(partition: string, limit: number, filter: unknown): string {
  return hash('sha256', JSON.stringify([partition, limit, filter]), 'base64url');
}

interface Start {
  readonly revision: string;
  /** The last place of the page before. */
  readonly anchor: Anchor;
}

/** What the read model has changed since is forgotten, and what was used least lately gives way. */
export class PageMemory {
  readonly #starts = new LRUCache<string, Start>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ revision, anchor }, name) =>
      ENTRY_BYTES + BYTES_A_CHARACTER * (name.length + revision.length + anchor.key.length),
  });

  /** What it holds, by its own count. */
  get bytes(): number {
    return this.#starts.calculatedSize;
  }

  /** That page, or a remembered one not far before it: farther ones are found faster by counting. */
  nearest(
    search: string,
    revision: string,
    page: number,
  ): { page: number; anchor: Anchor } | undefined {
    for (let start = page; start >= page - NEAR_PAGES; start -= 1) {
      const known = this.#starts.get(startName(search, start));
      if (known?.revision === revision) return { page: start, anchor: known.anchor };
    }
    return undefined;
  }

  remember(search: string, revision: string, page: number, anchor: Anchor): void {
    this.#starts.set(startName(search, page), { revision, anchor });
  }
}

function startName(search: string, page: number): string {
  return `${search} ${page}`;
}
