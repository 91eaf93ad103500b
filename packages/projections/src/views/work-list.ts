/** Lists of work that wait in key order, read page by page. */
import type { ReadModelStore } from '../read-model-store.ts';
import { liveModel } from './live-model.ts';

export interface OpenWorkQuery {
  readonly limit: number;
  /** Where the last page ended; it has no more entries when it was shorter than its limit. */
  readonly after?: string;
}

export interface OpenWorkPage<Work> {
  readonly work: readonly Work[];
  readonly next: string | undefined;
}

/** A page of a keyed collection whose bodies are the work itself. */
export async function workPage<Work>(
  store: ReadModelStore,
  { projection, collection }: { readonly projection: string; readonly collection: string },
  { limit, after }: OpenWorkQuery,
): Promise<OpenWorkPage<Work>> {
  const model = await liveModel(store, projection);
  const options = { prefix: '', limit, ...(after === undefined ? {} : { after }) };
  const found = await model.list(collection, options);
  return {
    work: found.map(({ body }) => JSON.parse(body) as Work),
    next: found.length < limit ? undefined : found.at(-1)?.key,
  };
}
