/**
 * Assigns test files to Vitest projects. A file belongs to one project; files with cases per store
 * are repeated by a project with servers.
 */

export interface Project {
  readonly name: string;
  readonly include: readonly string[];
  /** Repeats files of another project on other stores. */
  readonly repeats?: true;
  /** Starts the PostgreSQL of the run. */
  readonly postgres?: true;
  /** Keeps its files on a disk, and not in memory. */
  readonly onDisk?: true;
  readonly env?: Readonly<Record<string, string>>;
}

/** Prefix of the projects of `pnpm test`; `pnpm test:all` runs the others. */
export const QUICK = 'quick';

/** Suites that run on each store in turn: memory and SQLite in `quick`, PostgreSQL in `servers`. */
const onEveryStore = [
  'test/event-stores/large-events.test.ts',
  'test/engine/{activity-store,evidence-store,open-ledger,own-projections,pending-answers}.test.ts',
  'test/engine/{sandbox-books,sandbox-contract,users,webhook-deliveries}.test.ts',
  'test/http-host/{idempotency,outbox}.test.ts',
  'test/projections/{customers,erasure,postings,rebuild,recurring,search,shards,subscription-list,subscriptions}.test.ts',
];

/** `JOURNEYS=all` runs all of them on the engines of servers. */
const takesAll = process.env['JOURNEYS'] === 'all';

/**
 * Journeys that are repeated on the engines of servers: what a log has to give. Keys, races, tenants
 * apart, erasure; the rules of business do not depend on it.
 */
const journeys = takesAll
  ? ['test/e2e/*.test.ts', 'test/engine/journeys.test.ts']
  : [
      'test/engine/journeys.test.ts',
      'test/e2e/{refund,idempotency,isolation,erasure-contract}.test.ts',
    ];
/** Journeys of read models, which lie in PostgreSQL beside the protocol server too. */
const readingJourneys = [
  'test/e2e/{detail,search,ledger,payments,customers}.test.ts',
  'test/e2e/{subscriptions,subscription-start,unsubscribe}.test.ts',
];

/** All but those that other projects name. */
const EVERY_TEST = ['test/**/*.test.ts'];

export const PROJECTS: readonly Project[] = [
  // Tests of single modules.
  {
    name: `${QUICK}-units`,
    include: [
      'test/core/**/*.test.ts',
      'packages/*/src/**/*.test.ts',
      'scripts/**/*.test.ts',
      'bench/compare/*.test.ts',
      'examples/*/*.test.ts',
    ],
  },
  { name: QUICK, include: EVERY_TEST },
  // Need PostgreSQL, a protocol server of EventStoreDB or Stripe, or an SMTP server.
  {
    name: 'servers',
    include: [
      'test/setup/databases.test.ts',
      'test/event-stores/{eventstoredb,postgres}*.test.ts',
      'test/eventstoredb-server/*.test.ts',
      'test/stripe-server/main.test.ts',
      'test/projections/postgres*.test.ts',
      'test/engine/{mail-ends,move,sandbox-hosts}.test.ts',
      'test/http-host/{idempotency,outbox,rate-limit}-hosts.test.ts',
      'test/http-host/{host-database,personal-key-table,personal-keys-start}.test.ts',
      'test/http-host/{places,shared-keyed-mutex,worker}.test.ts',
      'test/e2e/several-hosts-{access,contract,effects,outage}.test.ts',
      'test/e2e/mail{,-subscriptions,-users}.test.ts',
      'test/e2e/{move,shared-cluster}.test.ts',
      'test/gateway-stripe/{connect,answers,event-faults,events,faults,payments,payouts}.test.ts',
      'test/gateway-stripe/{rebills,refused-keys}.test.ts',
      'test/gateway-stripe/authentications.test.ts',
    ],
    postgres: true,
  },
  { name: 'servers-stores', include: onEveryStore, repeats: true, postgres: true },
  // Hosts, logs and commands in separate processes, some of them killed.
  {
    name: 'processes',
    include: [
      'test/projections/damage.test.ts',
      'test/simulation/{gateway-crash,monthly-cap,subscription-start,test-clock}.test.ts',
      'test/http-host/{cli,doctor}*.test.ts',
      'test/http-host/{console-operator-work,node-version}.test.ts',
      'test/e2e/{mail-delivery,several-hosts-deaths}.test.ts',
    ],
    postgres: true,
  },
  // Kills at any instant, which are to hit commits too; failing disks; load.
  {
    name: 'disk',
    include: [
      'test/simulation/{load,overload,storage-faults}.test.ts',
      'test/simulation/{activity-crash,crash,billing-crash,erasure-crash,mail-crash,webhook-crash}.test.ts',
      'test/event-stores/sqlite-{disk,process}.test.ts',
    ],
    postgres: true,
    onDisk: true,
  },
  // Stripe's test mode, with a key of the reader's own.
  { name: 'stripe', include: ['test/gateway-stripe/stripe-itself.test.ts'] },
  { name: 'fuzz', include: ['test/fuzz/*.test.ts'] },
  {
    name: 'examples',
    include: [
      'test/docs/readme.test.ts',
      'test/e2e/{console,demo,demo-hosts,reference}.test.ts',
      'test/examples/*.test.ts',
    ],
    postgres: true,
  },
  { name: 'clients', include: ['test/clients/*.test.ts'] },
  {
    name: 'postgres-journeys',
    include: [...journeys, ...readingJourneys],
    repeats: true,
    postgres: true,
    env: { E2E_ENGINE: 'postgres' },
  },
  {
    name: 'protocol-server-journeys',
    include: journeys,
    repeats: true,
    postgres: true,
    env: { E2E_ENGINE: 'eventstoredb' },
  },
];

/** The files that a project excludes: for `quick`, those of all others. */
export function excludedFrom(project: Project): readonly string[] {
  if (project.include !== EVERY_TEST) return [];
  return PROJECTS.filter((each) => each !== project && each.repeats === undefined).flatMap(
    ({ include }) => include,
  );
}
