/** A worker in a process of its own, to be killed: applies made-up payments to read models in PostgreSQL. */
import { createProjector, PROJECTIONS } from '@counterfoil/projections';
import { openPostgresReadModelStore } from '@counterfoil/projections/postgres';
import { syntheticEventStore } from '@counterfoil/projections/testing';

const [url = '', holder = '', payments = '', leaseTtlMs = ''] = process.argv.slice(2);

const store = await openPostgresReadModelStore({ url });
const projector = createProjector({
  events: syntheticEventStore({ payments: Number(payments) }),
  store,
  projections: PROJECTIONS,
  holder,
  now: Date.now,
  maxBatchEvents: 20,
  leaseTtlMs: Number(leaseTtlMs),
  untilHead: true,
  notify: (message) => {
    if (message.type === 'caught-up-to') process.stdout.write(`${message.position}\n`);
  },
});
await projector.run();
await store.close();
process.stdout.write('done\n');
