/** The gateway under the gateway contract. */
import { gatewayContract } from '@counterfoil/engine/testing';
import { MemoryGateway } from './memory-gateway.ts';

const card = { number: '4242424242424242', expMonth: 12, expYear: 2090, cvv: '123', holder: '' };
const approve = { card };
const decline = { card: { ...card, number: '4000000000000002' } };

gatewayContract({
  name: 'Memory',
  open: () => new MemoryGateway(2),
  behaviours: {
    approve,
    decline,
    authorize: approve,
    voidOfCapture: approve,
    zeroAmount: approve,
    // It responds synchronously and never requires an action of the customer.
    action: 'lacks',
    lostCharge: 'lacks',
    neverReceived: 'lacks',
    lostRefund: 'lacks',
    chargeback: 'lacks',
    alert: 'lacks',
  },
});
