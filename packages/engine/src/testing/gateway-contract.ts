/** The contract suite of the gateway port. Every adapter must pass it. */
import { afterEach, describe } from 'vitest';
import type { PaymentGateway } from '../gateways/payment-gateway.ts';
import { describeCharges } from './gateway/charges.ts';
import { describeCredentials } from './gateway/credentials.ts';
import { describeEvents } from './gateway/events.ts';
import { describeFollowUps } from './gateway/follow-ups.ts';
import { type GatewayContract, Harness } from './gateway/harness.ts';
import { describeKeys } from './gateway/keys.ts';
import { describeLostAnswers } from './gateway/lost-answers.ts';
import { describeNotices } from './gateway/notices.ts';
import { describeRaces } from './gateway/races.ts';

export type {
  EventTriggers,
  GatewayBehaviours,
  GatewayContract,
  MovedMoney,
  Trigger,
} from './gateway/harness.ts';

/** Long enough for property tests on a slow disk. */
const CASE_TIMEOUT_MS = 60_000;

/** Declares the cases of the contract for one adapter. Call it at the top of a vitest file. */
export function gatewayContract<Gateway extends PaymentGateway>(
  contract: GatewayContract<Gateway>,
): void {
  describe(`gateway contract: ${contract.name}`, {
    timeout: contract.timeoutMs ?? CASE_TIMEOUT_MS,
  }, () => {
    const harness = new Harness(contract);
    afterEach(() => harness.cleanUp());
    describeCharges(harness);
    describeFollowUps(harness);
    describeKeys(harness);
    describeLostAnswers(harness);
    describeRaces(harness);
    describeCredentials(harness);
    describeNotices(harness);
    describeEvents(harness);
  });
}
