/** Queries while the live build is that of another version: the host rebuilds it beside the others. */
import {
  createMemoryReadModelStore,
  SubscriptionView,
  subscriptions,
} from '@counterfoil/projections';
import { expect, it } from 'vitest';

it('refuses to list until the build of its version is there', async () => {
  const store = createMemoryReadModelStore();
  const build = await store.createBuild({
    projection: subscriptions.name,
    version: 'earlier',
    collections: subscriptions.collections.filter(({ kind }) => kind === 'keyed'),
    purpose: 'live',
  });
  await store.makeLive(subscriptions.name, build.info.build);
  const listed = new SubscriptionView(store).list({ tenantId: 1, sandbox: false, limit: 1 });
  await expect(listed).rejects.toMatchObject({ code: 'not-ready' });
});
