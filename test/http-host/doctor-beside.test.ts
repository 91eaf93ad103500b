/** The doctor beside a running host: changes during the examination are not damage. */
import { afterAll, expect, it } from 'vitest';
import {
  callerOf,
  copyOf,
  makeTruth,
  openHost,
  paymentBody,
  removeFolder,
} from '../simulation/storage-faults-truth.ts';
import { counterfoilOn, doctorOn } from './doctor-findings.ts';

/** The quick ones meet what comes and goes more often. */
const EXAMINATIONS = [[], ['--quick'], ['--quick']];
const LIMIT_MS = 120_000;

const truth = await makeTruth();
const folder = copyOf(truth);
afterAll(() => {
  removeFolder(truth.folder);
  removeFolder(folder);
});

it(
  'finds a folder sound during payments, erasures and rebuilds',
  async () => {
    const { host, url } = await openHost(folder);
    const caller = callerOf(url, truth.apiKey);
    let isOver = false;
    let erased = 0;
    const live = async () => {
      for (let index = 0; !isOver; index += 1) {
        const email = `person${index}@example.com`;
        const body = { ...paymentBody(0), email };
        const paid = await caller.post('/v1/payments', { body, key: email });
        const path = { id: paid.body.customerId };
        const { status } = await caller.delete('/customers/{id}', { path });
        expect([paid.status, status]).toEqual([201, 200]);
        erased += 1;
      }
    };
    const rebuild = async () => {
      while (!isOver) {
        const { code, err } = await counterfoilOn(folder, ['read-models', 'rebuild']);
        expect({ code, err }).toMatchObject({ code: 0 });
      }
    };
    const examine = async () => {
      try {
        for (const words of EXAMINATIONS) {
          const { code, out } = await doctorOn(folder, ['--json', ...words]);
          const { checks, hostRuns } = JSON.parse(out);
          const found = checks.flatMap(({ findings }: { findings: object[] }) => findings);
          expect({ found, hostRuns, code }).toEqual({ found: [], hostRuns: true, code: 0 });
        }
      } finally {
        isOver = true;
      }
    };
    await Promise.all([live(), rebuild(), examine()]).finally(() => host.close());
    expect(erased).toBeGreaterThan(EXAMINATIONS.length);
  },
  LIMIT_MS,
);
