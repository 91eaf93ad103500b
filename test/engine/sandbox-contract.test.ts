/** The sandbox under the contract of its port, in every place that its books may be in. */
import {
  type Behaviour,
  openSandboxGateway,
  SANDBOX_CARDS,
  type SandboxGateway,
  type SandboxPlace,
} from '@counterfoil/engine/gateways';
import { gatewayContract } from '@counterfoil/engine/testing';
import { hostDatabaseOfFile } from '../setup/host-database.ts';
import { casesOfProject } from '../setup/stores.ts';
import { card, newPath } from './sandbox-desk.ts';

const hostDatabase = hostDatabaseOfFile();

const approve = cardThat('approve');
const behaviours = {
  approve,
  decline: cardThat('stolen'),
  authorize: approve,
  voidOfCapture: approve,
  zeroAmount: approve,
  action: cardThat('action-approve'),
  lostCharge: cardThat('timeout-approve'),
  neverReceived: cardThat('timeout-nothing'),
  lostRefund: cardThat('refund-timeout'),
  chargeback: cardThat('chargeback'),
  alert: cardThat('alert'),
};

function cardThat(behaviour: Behaviour) {
  const row = SANDBOX_CARDS.find((each) => each.behaviour === behaviour);
  if (row === undefined) throw new Error(`no card does ${behaviour}`);
  return { card: card(row.number) };
}

/** Books without an entry: those of another gateway are others. */
const PLACES = casesOfProject<readonly [string, () => SandboxPlace]>({
  embedded: [
    ['a file', () => ({ path: newPath() })],
    ['memory', () => ({ path: ':memory:' })],
  ],
  postgres: [['PostgreSQL', () => ({ database: hostDatabase().pool })]],
});

for (const [name, newPlace] of PLACES) {
  const places = new Map<number, SandboxPlace>();
  gatewayContract<SandboxGateway>({
    name: `sandbox in ${name}`,
    open() {
      const gatewayId = places.size + 1;
      const place = newPlace();
      places.set(gatewayId, place);
      return openSandboxGateway({ ...place, gatewayId });
    },
    ...(name !== 'memory' && {
      reopen({ gatewayId }: SandboxGateway) {
        return openSandboxGateway({ ...(places.get(gatewayId) as SandboxPlace), gatewayId });
      },
    }),
    behaviours,
    async moved(gateway, gatewayTransactionId) {
      for await (const record of gateway.records()) {
        if (record.gatewayTransactionId !== gatewayTransactionId) continue;
        if (record.operation !== 'charge') break;
        const { capturedMinor, refundedMinor } = record;
        return { capturedMinor, refundedMinor };
      }
      throw new Error(`the books have no charge ${gatewayTransactionId}`);
    },
  });
}
