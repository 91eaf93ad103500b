/** The sandbox as a gateway: the port's contract on a file and in memory, its table, its memory. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import fc from 'fast-check';
import { afterAll, afterEach, describe, expect, it, test } from 'vitest';
import { cardBrands } from '../card-brands.ts';
import { cardDigits } from '../card-number.ts';
import {
  type CardDetails,
  type ChargeRequest,
  type ChargeResult,
  type FollowUpRequest,
  type FollowUpResult,
  GatewayTimeout,
} from '../payment-gateway.ts';
import { type Behaviour, OUTCOMES, SANDBOX_CARDS } from './outcomes.ts';
import {
  CardRefused,
  IdempotencyKeyReused,
  openSandboxGateway,
  type SandboxGateway,
} from './sandbox-gateway.ts';

const CVV = '8317';
const FINGERPRINT = 'c0ffee'.repeat(5);
const ACCOUNT = {
  merchantAccountId: 7,
  mid: 'MID7',
  credentials: {
    apiKey: 'key',
    username: 'user',
    password: 'secret',
    emailAddress: 'a@example.com',
  },
};

const folder = mkdtempSync(join(tmpdir(), 'counterfoil-sandbox-'));
const opened: SandboxGateway[] = [];
let files = 0;

function newPath(): string {
  files += 1;
  return join(folder, `${files}.db`);
}

function open(path: string): SandboxGateway {
  const gateway = openSandboxGateway({ path, answerDelayMs: 1 });
  opened.push(gateway);
  return gateway;
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((gateway) => gateway.close()));
});
afterAll(() => rmSync(folder, { recursive: true }));

function card(number: string): CardDetails {
  return { number, expMonth: 12, expYear: 2030, cvv: CVV, holder: 'Ada Byron' };
}

function numberOf(behaviour: Behaviour): string {
  const row = SANDBOX_CARDS.find((each) => each.behaviour === behaviour);
  if (row === undefined) throw new Error(`no card does ${behaviour}`);
  return row.number;
}

async function chargeRequest(
  gateway: SandboxGateway,
  behaviour: Behaviour,
  change: Partial<ChargeRequest> = {},
): Promise<ChargeRequest> {
  const { token } = await gateway.tokenize(card(numberOf(behaviour)), FINGERPRINT);
  return {
    idempotencyKey: 'charge-1',
    sandbox: true,
    account: ACCOUNT,
    amountMinor: 10_000n,
    currency: 'EUR',
    token,
    cvv: CVV,
    capture: true,
    recurring: false,
    descriptor: 'SHOP*1',
    ...change,
  };
}

function followUp(
  gatewayTransactionId: string,
  idempotencyKey: string,
  amountMinor = 10_000n,
): FollowUpRequest {
  const request = { idempotencyKey, sandbox: true, account: ACCOUNT, currency: 'EUR' };
  return { ...request, amountMinor, gatewayTransactionId };
}

/** The id of a charge that the gateway carried out. */
async function charged(
  gateway: SandboxGateway,
  behaviour: Behaviour,
  change: Partial<ChargeRequest> = {},
): Promise<string> {
  return idIn(await gateway.charge(await chargeRequest(gateway, behaviour, change)));
}

function idIn(result: ChargeResult | FollowUpResult | undefined): string {
  if (result === undefined || !('gatewayTransactionId' in result)) throw new Error('no charge');
  return result.gatewayTransactionId;
}

describe.each([
  ['a file', newPath],
  ['memory', () => ':memory:'],
])('the port on %s', (_, pathOf) => {
  it('captures at once, and says the same when it is asked and when it is asked to again', async () => {
    const gateway = open(pathOf());
    const request = await chargeRequest(gateway, 'approve', {
      avs: { postalCode: '1010', address: 'Ring 1' },
    });
    const answer = await gateway.charge(request);
    expect(answer).toEqual({
      result: 'captured',
      authCode: expect.stringMatching(/^[2-9A-Z]{6}$/),
      gatewayTransactionId: expect.stringMatching(/^sbx_[0-9a-f]{16}$/),
      arn: expect.stringMatching(/^7\d{22}$/),
      avsChecked: true,
      note: 'approved',
    });
    expect(await gateway.charge(request)).toEqual(answer);
    expect(await gateway.findCharge(request.idempotencyKey)).toEqual(answer);
    expect(await gateway.findFollowUp(request.idempotencyKey)).toBeUndefined();
  });

  it('authorizes, captures once and for less, and keeps the references of the charge', async () => {
    const gateway = open(pathOf());
    const answer = await gateway.charge(
      await chargeRequest(gateway, 'approve', { capture: false }),
    );
    expect(answer).toMatchObject({ result: 'authorized', avsChecked: false });
    const id = idIn(answer);
    const captured = await gateway.capture(followUp(id, 'capture-1', 6_000n));
    expect(captured).toEqual({
      result: 'done',
      gatewayTransactionId: id,
      arn: 'arn' in answer ? answer.arn : '',
      note: 'captured',
    });
    expect(await gateway.findFollowUp('capture-1')).toEqual(captured);
    expect(await gateway.findCharge('capture-1')).toBeUndefined();
    expect(await gateway.capture(followUp(id, 'capture-2', 1n))).toMatchObject({
      result: 'refused',
    });
    expect(await gateway.refund(followUp(id, 'refund-1', 6_001n))).toMatchObject({
      result: 'refused',
    });
    expect(await gateway.refund(followUp(id, 'refund-2', 6_000n))).toMatchObject({
      result: 'done',
    });
  });

  it('refunds as transactions of their own', async () => {
    const gateway = open(pathOf());
    const id = await charged(gateway, 'approve');
    const one = await gateway.refund(followUp(id, 'refund-1', 4_000n));
    const two = await gateway.refund(followUp(id, 'refund-2', 4_000n));
    const ids = [one, two].map((each) => ('gatewayTransactionId' in each ? each : undefined));
    expect(new Set([id, ...ids.map((each) => each?.gatewayTransactionId)]).size).toBe(3);
    expect(ids[0]?.arn).toMatch(/^7\d{22}$/);
    expect(ids[0]?.arn).not.toBe(ids[1]?.arn);
    expect(await gateway.refund(followUp(id, 'refund-1', 4_000n))).toEqual(one);
  });

  it('voids what was authorized or captured, whole and once', async () => {
    const gateway = open(pathOf());
    for (const capture of [true, false]) {
      const id = await charged(gateway, 'approve', {
        capture,
        idempotencyKey: `charge-${capture}`,
      });
      expect(await gateway.void(followUp(id, `void-1-${capture}`))).toMatchObject({
        result: 'done',
      });
      expect(await gateway.void(followUp(id, `void-2-${capture}`))).toEqual({
        result: 'refused',
        note: 'the charge is voided',
      });
      expect(await gateway.refund(followUp(id, `refund-${capture}`, 1n))).toMatchObject({
        result: 'refused',
      });
    }
  });

  it('knows no charge that was never made', async () => {
    const gateway = open(pathOf());
    expect(await gateway.findCharge('never')).toBeUndefined();
    expect(await gateway.findFollowUp('never')).toBeUndefined();
    expect(await gateway.noticesOf('sbx_0000000000000000')).toEqual([]);
    expect(await gateway.findToken('never')).toBeUndefined();
  });

  it('gives back what a token was made of', async () => {
    const gateway = open(pathOf());
    const made = await gateway.tokenize(card('4000-0000-0000-9995'), 'any text: ü.1.2');
    expect(made).toEqual({
      token: expect.stringMatching(/^tok_sbx_insufficient-funds_/),
      bin: '400000',
      last4: '9995',
      expMonth: 12,
      expYear: 2030,
      fingerprint: 'any text: ü.1.2',
    });
    expect(await gateway.findToken(made.token)).toEqual(made);
    expect(made.token.length).toBeLessThanOrEqual(255);
    const again = await gateway.tokenize(card('4000-0000-0000-9995'), 'any text: ü.1.2');
    expect(again.token).not.toBe(made.token);
  });

  it('may be closed twice', async () => {
    const gateway = open(pathOf());
    await gateway.close();
    await gateway.close();
  });
});

describe('the table of outcomes', () => {
  it('has valid and different numbers, a card for each behaviour, and one to approve per network', () => {
    expect(SANDBOX_CARDS.map(({ number }) => cardDigits(number))).toEqual(
      SANDBOX_CARDS.map(({ number }) => number),
    );
    expect(new Set(SANDBOX_CARDS.map(({ number }) => number)).size).toBe(SANDBOX_CARDS.length);
    expect(new Set(SANDBOX_CARDS.map(({ behaviour }) => behaviour))).toEqual(
      new Set(Object.keys(OUTCOMES)),
    );
    const approving = SANDBOX_CARDS.filter(({ behaviour }) => behaviour === 'approve');
    expect(approving.map(({ number }) => cardBrands()(number))).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test.each([
    ['4242424242424242', 'captured'],
    ['5555555555554444', 'captured'],
    ['378282246310005', 'captured'],
    ['6011111111111117', 'captured'],
    ['3566002020360505', 'captured'],
    ['3056930009020004', 'captured'],
    ['4111111111111111', 'captured'],
    ['4000000000009995', 'declined insufficient_funds soft'],
    ['4000000000000002', 'declined do_not_honor soft'],
    ['4000000000009979', 'declined stolen_card hard'],
    ['4000000000000069', 'declined expired_card hard'],
    ['4000000000000119', 'failed'],
    ['4000000000003220', 'action-required, then captured'],
    ['4000008400001629', 'action-required, then declined do_not_honor soft'],
    ['4000000000040818', 'timeout, found captured'],
    ['4000000000040826', 'timeout, found declined do_not_honor soft'],
    ['4000000000040834', 'timeout, found nothing'],
    ['4000000000002024', 'captured'],
    ['4000000000005126', 'captured, refund refused'],
    ['4000000000007726', 'captured, refund timeout, found done'],
    ['4000000000000259', 'captured, chargeback'],
    ['4000000000005423', 'captured, alert'],
    ['4000000000000341', 'captured'],
    ['4000000000000358', 'captured'],
    ['4000000000000366', 'captured'],
    ['4000002760003184', 'captured'],
  ])('%s: %s', async (number, story) => {
    const gateway = open(':memory:');
    const { token } = await gateway.tokenize(card(number), FINGERPRINT);
    const request = { ...(await chargeRequest(gateway, 'approve')), token };
    // Twice: the card is kept, and does the same again.
    for (const idempotencyKey of ['charge-1', 'charge-2']) {
      expect(await storyOf(gateway, { ...request, idempotencyKey })).toBe(story);
    }
  });

  it('has no row that the test above leaves out', () => {
    expect(SANDBOX_CARDS).toHaveLength(25);
  });

  it('lets a slow card wait, and nobody else', async () => {
    const gateway = openSandboxGateway({ path: ':memory:', answerDelayMs: 60 });
    const patient = openSandboxGateway({ path: ':memory:', answerDelayMs: 3_600_000 });
    opened.push(gateway, patient);
    const started = performance.now();
    await gateway.charge(await chargeRequest(gateway, 'slow'));
    expect(performance.now() - started).toBeGreaterThan(50);
    await patient.charge(await chargeRequest(patient, 'approve'));
  });

  it('has a slow charge in its books before it answers', async () => {
    const gateway = openSandboxGateway({ path: ':memory:', answerDelayMs: 30 });
    opened.push(gateway);
    const answer = gateway.charge(await chargeRequest(gateway, 'slow'));
    expect(await gateway.findCharge('charge-1')).toMatchObject({ result: 'captured' });
    await answer;
  });

  it('waits before a timeout as long as it is told', async () => {
    const gateway = openSandboxGateway({ path: ':memory:', timeoutMs: 30 });
    opened.push(gateway);
    const request = await chargeRequest(gateway, 'timeout-approve');
    const started = performance.now();
    await expect(gateway.charge(request)).rejects.toThrow(GatewayTimeout);
    expect(performance.now() - started).toBeGreaterThan(25);
  });
});

/** Everything that a card does, in a few words. */
async function storyOf(gateway: SandboxGateway, request: ChargeRequest): Promise<string> {
  const { idempotencyKey: key } = request;
  const found = async () => inWords(await gateway.findCharge(key));
  const answer = await gateway.charge(request).catch(timedOut);
  if (answer === undefined) return `timeout, found ${await found()}`;
  expect(await gateway.findCharge(key)).toEqual(answer);
  if (answer.result === 'action-required') {
    const confirmed = await gateway.confirm(
      followUp(answer.gatewayTransactionId, `${key}-confirm`),
    );
    expect(await gateway.findCharge(key)).toEqual(confirmed);
    return `action-required, then ${inWords(confirmed)}`;
  }
  if (answer.result !== 'captured') return inWords(answer);

  const words = [inWords(answer)];
  const { gatewayTransactionId: id } = answer;
  words.push(...(await gateway.noticesOf(id)).map(({ kind }) => kind));
  const refund = await gateway.refund(followUp(id, `${key}-refund`, 1n)).catch(timedOut);
  const refundFound = (await gateway.findFollowUp(`${key}-refund`))?.result;
  if (refund === undefined) words.push(`refund timeout, found ${refundFound}`);
  else {
    expect(refundFound).toBe(refund.result);
    if (refund.result === 'refused') words.push('refund refused');
  }
  return words.join(', ');
}

function timedOut(error: unknown): undefined {
  if (!(error instanceof GatewayTimeout)) throw error;
}

function inWords(result: ChargeResult | undefined): string {
  if (result === undefined) return 'nothing';
  if (result.result !== 'declined') return result.result;
  return `declined ${result.declineCode} ${result.hard ? 'hard' : 'soft'}`;
}

describe('a charge of nothing', () => {
  it.each([
    ['approve', 'captured'],
    ['stolen', 'declined'],
  ] as const)('asks whether the card can be charged: %s, %s', async (behaviour, result) => {
    const gateway = open(newPath());
    const request = await chargeRequest(gateway, behaviour, { amountMinor: 0n });
    expect(await gateway.charge(request)).toMatchObject({ result });
    expect(await gateway.findCharge(request.idempotencyKey)).toMatchObject({ result });
  });
});

describe('rebills', () => {
  const rebill = async (behaviour: Behaviour, idempotencyKey = 'rebill-1') => {
    const gateway = open(newPath());
    const change = { recurring: true, idempotencyKey };
    return gateway.charge(await chargeRequest(gateway, behaviour, change));
  };

  it.each([
    ['recurring-insufficient-funds', 'insufficient_funds', false],
    ['recurring-stolen', 'stolen_card', true],
  ] as const)('%s: approved first, then declined', async (behaviour, declineCode, hard) => {
    const gateway = open(newPath());
    const first = await gateway.charge(await chargeRequest(gateway, behaviour));
    expect(first.result).toBe('captured');
    expect(await rebill(behaviour)).toMatchObject({ result: 'declined', declineCode, hard });
  });

  it('one in four is declined, the same ones whenever they are asked again', async () => {
    const gateway = open(':memory:');
    const request = await chargeRequest(gateway, 'recurring-sometimes', { recurring: true });
    const charge = async (index: number) =>
      (await gateway.charge({ ...request, idempotencyKey: `rebill-${index}` })).result;
    const results = await Promise.all(Array.from({ length: 400 }, (_, index) => charge(index)));
    const declined = results.filter((result) => result === 'declined').length;
    expect(declined).toBeGreaterThan(60);
    expect(declined).toBeLessThan(140);
    expect(new Set(results)).toEqual(new Set(['captured', 'declined']));
    expect(await charge(7)).toBe(results[7]);
  });

  it('may require an action that nobody is there for', async () => {
    expect(await rebill('recurring-action')).toMatchObject({ result: 'action-required' });
  });

  it('are like any other charge for the other cards', async () => {
    expect(await rebill('approve')).toMatchObject({ result: 'captured' });
    expect(await rebill('do-not-honour')).toMatchObject({ result: 'declined', hard: false });
  });
});

describe('an action of the customer', () => {
  it('is asked for at an address of ours that names the charge', async () => {
    const gateway = open(':memory:');
    const answer = await gateway.charge(await chargeRequest(gateway, 'action-approve'));
    expect(answer).toMatchObject({
      result: 'action-required',
      nextAction: { type: '3ds', url: `https://acs.sandbox.example/3ds/${idIn(answer)}` },
    });
  });

  it('leads to what was asked for in the first place', async () => {
    const gateway = open(':memory:');
    const avs = { postalCode: '1010', address: 'Ring 1' };
    const request = await chargeRequest(gateway, 'action-approve', { capture: false, avs });
    const asked = await gateway.charge(request);
    const confirmed = await gateway.confirm(followUp(idIn(asked), 'confirm-1'));
    expect(confirmed).toMatchObject({ result: 'authorized', avsChecked: true });
    expect(idIn(confirmed)).toBe(idIn(asked));
    expect(await gateway.findCharge('confirm-1')).toEqual(confirmed);
    // The charge's own key goes on with its own answer, the question with the news.
    expect(await gateway.charge(request)).toEqual(asked);
    expect(await gateway.findCharge('charge-1')).toEqual(confirmed);
    expect(await gateway.confirm(followUp(idIn(asked), 'confirm-1'))).toEqual(confirmed);
  });

  it('is needed before anything else', async () => {
    const gateway = open(':memory:');
    const id = await charged(gateway, 'action-approve');
    for (const operation of ['capture', 'void', 'refund'] as const) {
      expect(await gateway[operation](followUp(id, operation))).toEqual({
        result: 'refused',
        note: 'the charge is requires-action',
      });
    }
  });

  it('done twice leaves the charge where it stands', async () => {
    const gateway = open(':memory:');
    const id = await charged(gateway, 'action-approve');
    const first = await gateway.confirm(followUp(id, 'confirm-1'));
    await gateway.refund(followUp(id, 'refund-1', 1_000n));
    expect(await gateway.confirm(followUp(id, 'confirm-2'))).toEqual(first);
    expect(await gateway.refund(followUp(id, 'refund-2', 9_001n))).toMatchObject({
      result: 'refused',
    });
  });

  it('cannot be done for another charge or amount', async () => {
    const gateway = open(':memory:');
    const id = await charged(gateway, 'action-approve');
    const wrong = [
      followUp('sbx_0000000000000000', 'confirm-1'),
      followUp(id, 'confirm-2', 9_999n),
      { ...followUp(id, 'confirm-3'), currency: 'USD' },
    ];
    for (const request of wrong) {
      expect(await gateway.confirm(request)).toMatchObject({ result: 'failed' });
    }
    expect(await gateway.findCharge('charge-1')).toMatchObject({ result: 'action-required' });
  });
});

describe('news of the gateway', () => {
  it('reads the same whenever it is asked for', async () => {
    const gateway = open(':memory:');
    for (const behaviour of ['chargeback', 'alert'] as const) {
      const id = await charged(gateway, behaviour, { idempotencyKey: behaviour });
      const [notice, ...others] = await gateway.noticesOf(id);
      const common = { amountMinor: 10_000n, arn: expect.stringMatching(/^7\d{22}$/) };
      expect(others).toEqual([]);
      expect(notice).toEqual(
        behaviour === 'chargeback'
          ? { kind: behaviour, reference: `cb_${id}`, reasonCode: '10.4', ...common }
          : {
              kind: behaviour,
              reference: `alert_${id}`,
              source: 'AlertProvider',
              alertType: 'EarlyFraudWarning',
              ...common,
            },
      );
      await gateway.refund(followUp(id, `${behaviour}-refund`, 5_000n));
      expect(await gateway.void(followUp(id, `${behaviour}-void`))).toMatchObject({
        result: 'refused',
      });
      expect(await gateway.noticesOf(id)).toEqual([notice]);
    }
  });

  it('cannot be voided away once it was given', async () => {
    const gateway = open(':memory:');
    const id = await charged(gateway, 'chargeback');
    expect(await gateway.void(followUp(id, 'void-1'))).toEqual({
      result: 'refused',
      note: 'the charge is disputed',
    });
    expect(await gateway.noticesOf(id)).toHaveLength(1);
  });

  it('waits for the capture, and is about what was captured', async () => {
    const gateway = open(':memory:');
    const id = await charged(gateway, 'chargeback', { capture: false });
    expect(await gateway.noticesOf(id)).toEqual([]);
    await gateway.capture(followUp(id, 'capture-1', 2_500n));
    expect(await gateway.noticesOf(id)).toMatchObject([{ amountMinor: 2_500n }]);
  });
});

describe('an idempotency key', () => {
  it('stands for one charge, down to each of its facts', async () => {
    const gateway = open(':memory:');
    const request = await chargeRequest(gateway, 'approve');
    await gateway.charge(request);
    const { token } = await gateway.tokenize(card('4242424242424242'), FINGERPRINT);
    const others: readonly Partial<ChargeRequest>[] = [
      { amountMinor: 10_001n },
      { currency: 'USD' },
      { capture: false },
      { descriptor: 'SHOP*2' },
      { avs: { postalCode: '1010', address: '' } },
      { account: { ...ACCOUNT, merchantAccountId: 8 } },
      { token },
    ];
    for (const change of others) {
      await expect(gateway.charge({ ...request, ...change })).rejects.toThrow(IdempotencyKeyReused);
    }
    const { cvv: _, ...withoutCvv } = request;
    const credentials = { ...ACCOUNT.credentials, password: 'rotated' };
    const again = await gateway.charge({ ...withoutCvv, account: { ...ACCOUNT, credentials } });
    expect(again).toEqual(await gateway.findCharge('charge-1'));
  });

  it('stands for one operation', async () => {
    const gateway = open(':memory:');
    const request = await chargeRequest(gateway, 'approve', { capture: false });
    const id = idIn(await gateway.charge(request));
    await gateway.capture(followUp(id, 'capture-1'));
    const reused = [
      gateway.refund(followUp(id, 'capture-1')),
      gateway.void(followUp(id, 'capture-1')),
      gateway.confirm(followUp(id, 'capture-1')),
      gateway.capture(followUp(id, 'capture-1', 9_999n)),
      gateway.capture(followUp(id, 'charge-1')),
      gateway.charge({ ...request, idempotencyKey: 'capture-1' }),
    ];
    for (const each of reused) await expect(each).rejects.toThrow(IdempotencyKeyReused);
    expect((await Array.fromAsync(gateway.records())).map(({ operation }) => operation)).toEqual([
      'charge',
      'capture',
    ]);
  });

  it('gives a refusal again even when it would be done now', async () => {
    const gateway = open(':memory:');
    const id = await charged(gateway, 'approve', { capture: false });
    const refused = await gateway.refund(followUp(id, 'refund-1', 1n));
    expect(refused).toMatchObject({ result: 'refused' });
    await gateway.capture(followUp(id, 'capture-1'));
    expect(await gateway.refund(followUp(id, 'refund-1', 1n))).toEqual(refused);
  });

  it('that timed out times out again, and charges or refunds once', async () => {
    const gateway = open(':memory:');
    const request = await chargeRequest(gateway, 'timeout-approve');
    const { idempotencyKey: _, ...rest } = await chargeRequest(gateway, 'refund-timeout');
    const id = idIn(await gateway.charge({ ...rest, idempotencyKey: 'charge-2' }));
    for (let time = 0; time < 2; time += 1) {
      await expect(gateway.charge(request)).rejects.toThrow(GatewayTimeout);
      await expect(gateway.refund(followUp(id, 'refund-1'))).rejects.toThrow(GatewayTimeout);
    }
    expect(await Array.fromAsync(gateway.records())).toMatchObject([
      { idempotencyKey: 'charge-2', refundedMinor: 10_000n },
      { idempotencyKey: 'charge-1', capturedMinor: 10_000n },
      { idempotencyKey: 'refund-1' },
    ]);
  });

  it('has the same references in every sandbox', async () => {
    const answers = await Promise.all(
      [open(':memory:'), open(newPath())].map(async (gateway) =>
        gateway.charge(await chargeRequest(gateway, 'approve')),
      ),
    );
    expect(answers[0]).toEqual(answers[1]);
  });
});

describe('what a gateway refuses', () => {
  it('does nothing on a charge that it does not know as this account’s', async () => {
    const gateway = open(':memory:');
    const id = await charged(gateway, 'approve');
    const refused = { result: 'refused', note: 'there is no such charge' };
    const refundId = idIn(await gateway.refund(followUp(id, 'r', 1n)));
    const wrong = [
      followUp('sbx_0000000000000000', 'a'),
      followUp('', 'b'),
      followUp(id.toUpperCase(), 'c'),
      followUp(refundId, 'd'),
      { ...followUp(id, 'e'), currency: 'USD' },
      { ...followUp(id, 'f'), account: { ...ACCOUNT, merchantAccountId: 8 } },
    ];
    for (const request of wrong) expect(await gateway.refund(request)).toEqual(refused);
  });

  test.each(['insufficient-funds', 'processing-error', 'timeout-decline'] as const)(
    'nothing follows a charge that ended in %s',
    async (behaviour) => {
      const gateway = open(':memory:');
      await gateway.charge(await chargeRequest(gateway, behaviour)).catch(timedOut);
      const [record] = await Array.fromAsync(gateway.records());
      const id = record?.gatewayTransactionId ?? '';
      for (const operation of ['capture', 'void', 'refund'] as const) {
        expect(await gateway[operation](followUp(id, operation))).toMatchObject({
          result: 'refused',
          note: `the charge is ${record && 'status' in record ? record.status : ''}`,
        });
      }
    },
  );

  it('captures no more than was authorized, to the last unit', async () => {
    const gateway = open(':memory:');
    const id = await charged(gateway, 'approve', { capture: false });
    expect(await gateway.capture(followUp(id, 'capture-1', 10_001n))).toEqual({
      result: 'refused',
      note: 'the amount is more than was authorized',
    });
    expect(await gateway.capture(followUp(id, 'capture-2', 10_000n))).toMatchObject({
      result: 'done',
    });
  });

  it('takes no amount of nothing', async () => {
    const gateway = open(':memory:');
    const id = await charged(gateway, 'approve', { capture: false });
    for (const amountMinor of [0n, -1n]) {
      expect(await gateway.capture(followUp(id, `c${amountMinor}`, amountMinor))).toMatchObject({
        result: 'refused',
      });
    }
    const charge = { idempotencyKey: 'x', amountMinor: -1n };
    expect(await gateway.charge(await chargeRequest(gateway, 'approve', charge))).toEqual({
      result: 'failed',
      note: 'the amount must not be less than 0',
    });
    await gateway.capture(followUp(id, 'capture'));
    for (const amountMinor of [0n, -1n]) {
      expect(await gateway.refund(followUp(id, `r${amountMinor}`, amountMinor))).toMatchObject({
        result: 'refused',
      });
    }
  });

  it('takes no token that it did not make', async () => {
    const gateway = open(':memory:');
    const { token } = await gateway.tokenize(card('4242424242424242'), FINGERPRINT);
    const forged = [
      '',
      'tok_sbx_approve_1',
      token.slice(0, -1),
      token.replace('approve', 'stolen'),
      `${token}0`,
      token.replace('approve', 'constructor'),
    ];
    for (const [index, each] of forged.entries()) {
      const change = { token: each, idempotencyKey: `charge-${index}` };
      expect(await gateway.charge(await chargeRequest(gateway, 'approve', change))).toEqual({
        result: 'failed',
        note: 'unknown token',
      });
      expect(await gateway.findToken(each)).toBeUndefined();
    }
  });

  it('never moves more than was asked and taken, whatever is asked of it', async () => {
    const operation = fc.constantFrom('capture', 'void', 'refund');
    const step = fc.record({
      operation,
      amountMinor: fc.bigInt(-5n, 130n),
      key: fc.nat({ max: 30 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.boolean(), fc.array(step, { maxLength: 12 }), async (capture, steps) => {
        const gateway = openSandboxGateway({ path: ':memory:' });
        const id = await charged(gateway, 'approve', { capture, amountMinor: 100n });
        const refunds = new Map<number, bigint>();
        let captured = capture ? 100n : 0n;
        for (const { operation, amountMinor, key } of steps) {
          const request = followUp(id, `${operation}-${key}-${amountMinor}`, amountMinor);
          const before = await gateway.findFollowUp(request.idempotencyKey);
          const { result } = await gateway[operation](request);
          if (result === 'refused' || before !== undefined) continue;
          if (operation === 'capture') captured = amountMinor;
          if (operation === 'void') captured = 0n;
          if (operation === 'refund') refunds.set(refunds.size, amountMinor);
        }
        const refunded = [...refunds.values()].reduce((sum, each) => sum + each, 0n);
        expect(refunded).toBeLessThanOrEqual(captured);
        expect(captured).toBeLessThanOrEqual(100n);
        expect((await Array.fromAsync(gateway.records()))[0]).toMatchObject({
          capturedMinor: captured,
          refundedMinor: refunded,
        });
        await gateway.close();
      }),
      { numRuns: 60 },
    );
  });

  it('lets only one of two racing refunds through', async () => {
    const gateway = open(newPath());
    const id = await charged(gateway, 'approve');
    const answers = await Promise.all([
      gateway.refund(followUp(id, 'refund-1', 6_000n)),
      gateway.refund(followUp(id, 'refund-2', 6_000n)),
    ]);
    expect(answers.map(({ result }) => result).sort()).toEqual(['done', 'refused']);
  });
});

describe('the books', () => {
  it('are the same after a restart, and go on', async () => {
    const path = newPath();
    const first = open(path);
    const requests: ChargeRequest[] = [];
    for (const [index, { behaviour }] of SANDBOX_CARDS.entries()) {
      const change = { idempotencyKey: `charge-${index}` };
      requests.push(await chargeRequest(first, behaviour, change));
    }
    const told = async (gateway: SandboxGateway) => {
      const answers: unknown[] = [];
      for (const request of requests) {
        answers.push(await gateway.charge(request).catch(timedOut));
        answers.push(await gateway.findCharge(request.idempotencyKey));
      }
      return answers;
    };
    const before = await told(first);
    const id = idIn(await first.findCharge('charge-0'));
    const refunded = await first.refund(followUp(id, 'refund-1', 6_000n));
    const records = await Array.fromAsync(first.records());
    await first.close();

    const second = open(path);
    expect(await Array.fromAsync(second.records())).toEqual(records);
    expect(await told(second)).toEqual(before);
    expect(await Array.fromAsync(second.records())).toEqual(records);
    expect(await second.refund(followUp(id, 'refund-1', 6_000n))).toEqual(refunded);
    expect(await second.refund(followUp(id, 'refund-2', 6_000n))).toMatchObject({
      result: 'refused',
    });
    const other = { ...followUp(id, 'refund-1', 6_001n) };
    await expect(second.refund(other)).rejects.toThrow(IdempotencyKeyReused);
  });

  it('list every request in order, over pages, while writing goes on', async () => {
    const gateway = open(':memory:');
    const { idempotencyKey: _, ...request } = await chargeRequest(gateway, 'approve');
    for (let each = 0; each < 1_001; each += 1) {
      await gateway.charge({ ...request, idempotencyKey: `charge-${each}` });
    }
    const listed: string[] = [];
    for await (const { idempotencyKey } of gateway.records()) {
      if (listed.length === 0) await gateway.charge({ ...request, idempotencyKey: 'charge-1001' });
      listed.push(idempotencyKey);
    }
    expect(listed).toEqual(Array.from({ length: 1_002 }, (_each, index) => `charge-${index}`));
  });

  it('say of each request what it was and how it ended', async () => {
    const gateway = open(':memory:');
    const id = await charged(gateway, 'action-approve', { amountMinor: 2n ** 70n });
    await gateway.confirm(followUp(id, 'confirm-1', 2n ** 70n));
    await gateway.refund(followUp(id, 'refund-1', 2n ** 69n));
    await gateway.void(followUp(id, 'void-1'));
    const common = { gatewayTransactionId: id, merchantAccountId: 7, currency: 'EUR' };
    expect(await Array.fromAsync(gateway.records())).toEqual([
      {
        ...common,
        operation: 'charge',
        idempotencyKey: 'charge-1',
        amountMinor: 2n ** 70n,
        status: 'captured',
        capturedMinor: 2n ** 70n,
        refundedMinor: 2n ** 69n,
        result: expect.objectContaining({ result: 'captured' }),
      },
      {
        ...common,
        operation: 'confirm',
        idempotencyKey: 'confirm-1',
        amountMinor: 2n ** 70n,
        result: expect.objectContaining({ result: 'captured' }),
      },
      {
        ...common,
        operation: 'refund',
        idempotencyKey: 'refund-1',
        amountMinor: 2n ** 69n,
        result: expect.objectContaining({ result: 'done' }),
      },
      {
        ...common,
        operation: 'void',
        idempotencyKey: 'void-1',
        amountMinor: 10_000n,
        result: { result: 'refused', note: 'the charge has been refunded' },
      },
    ]);
  });

  it('lose nothing that was answered when the process is killed', async () => {
    const path = newPath();
    const face = new URL('../index.ts', import.meta.url).href;
    const script = `
      import { openSandboxGateway } from ${JSON.stringify(face)};
      const gateway = openSandboxGateway({ path: ${JSON.stringify(path)} });
      const card = { number: '4242424242424242', expMonth: 1, expYear: 2030, cvv: '123', holder: '' };
      const { token } = await gateway.tokenize(card, '');
      const account = { merchantAccountId: 7, mid: '', credentials: {} };
      for (let each = 0; ; each += 1) {
        const request = { account, amountMinor: 5n, currency: 'EUR' };
        const charge = { ...request, token, capture: true, descriptor: '' };
        const { gatewayTransactionId } = await gateway.charge({ ...charge, idempotencyKey: 'c' + each });
        await gateway.refund({ ...request, gatewayTransactionId, idempotencyKey: 'r' + each });
        process.stdout.write(each + '\\n');
        if (each % 50 === 0) await new Promise(setImmediate);
      }`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let last = -1;
    for await (const line of createInterface({ input: child.stdout })) {
      last = Number(line);
      if (last === 300) child.kill('SIGKILL');
    }
    if (child.signalCode === null) await once(child, 'exit');
    expect(child.signalCode).toBe('SIGKILL');
    expect(last).toBeGreaterThanOrEqual(300);

    const records = await Array.fromAsync(open(path).records());
    const keys = new Set(records.map(({ idempotencyKey }) => idempotencyKey));
    expect(keys.size).toBe(records.length);
    for (let each = 0; each <= last; each += 1) {
      expect([keys.has(`c${each}`), keys.has(`r${each}`)]).toEqual([true, true]);
    }
    for (const record of records) {
      if (record.operation !== 'charge') continue;
      const refunded = keys.has(record.idempotencyKey.replace('c', 'r')) ? 5n : 0n;
      expect(record).toMatchObject({ capturedMinor: 5n, refundedMinor: refunded });
    }
  });

  it('are not opened when a later version wrote them', async () => {
    const { DatabaseSync } = await import('node:sqlite');
    const path = newPath();
    const database = new DatabaseSync(path);
    database.exec('PRAGMA user_version = 2');
    database.close();
    expect(() => openSandboxGateway({ path })).toThrow('later version');
  });
});

describe('card numbers and cvvs', () => {
  it('are in no byte of the file, no token, no answer and no error', async () => {
    const path = newPath();
    const name = path.slice(folder.length + 1);
    const gateway = open(path);
    const said: unknown[] = [];
    for (const { number } of SANDBOX_CARDS) {
      const token = await gateway.tokenize(card(number), FINGERPRINT);
      const request = {
        ...(await chargeRequest(gateway, 'approve')),
        token: token.token,
        idempotencyKey: `charge-${token.token}`,
      };
      said.push(token, await gateway.charge(request).catch(String));
      said.push(await gateway.charge({ ...request, amountMinor: 1n }).catch(String));
      const encoded = token.token.split('_').at(-1) ?? '';
      said.push(Buffer.from(encoded, 'base64url').toString('latin1'));
    }
    for (const number of ['4242424242424241', '4242 4242 4242 425', 'x4242424242424242']) {
      said.push(await gateway.tokenize(card(number), FINGERPRINT).catch(String));
      await expect(gateway.tokenize(card(number), FINGERPRINT)).rejects.toThrow(CardRefused);
    }
    const longCvv = { ...card('4242424242424242'), cvv: `${CVV}0` };
    await expect(gateway.tokenize(longCvv, FINGERPRINT)).rejects.toThrow(CardRefused);
    said.push(await gateway.tokenize(longCvv, FINGERPRINT).catch(String));

    const written = readdirSync(folder)
      .filter((file) => file.startsWith(name))
      .map((file) => readFileSync(join(folder, file), 'latin1'))
      .join('\n');
    const text = JSON.stringify(said) + written;
    expect(written).toContain('charge-tok_sbx_');
    for (const { number } of SANDBOX_CARDS) expect(text).not.toContain(number);
    expect(text).not.toContain('424242424242424');
    expect(JSON.stringify(said)).not.toMatch(new RegExp(`\\b${CVV}0?\\b`));
  });

  it('leave no trace: other cvvs, the same bytes', async () => {
    const requests: ChargeRequest[] = [];
    const giver = open(':memory:');
    for (const { behaviour } of SANDBOX_CARDS) {
      const change = { idempotencyKey: `charge-${requests.length}` };
      requests.push(await chargeRequest(giver, behaviour, change));
    }
    const written: Buffer[] = [];
    for (const cvv of ['8317', '999']) {
      const path = newPath();
      const gateway = open(path);
      for (const request of requests) await gateway.charge({ ...request, cvv }).catch(timedOut);
      // The last to close moves what is in the WAL into the file itself.
      await gateway.close();
      written.push(readFileSync(path));
    }
    expect(written[0]?.length).toBeGreaterThan(4_096);
    expect(written[0]?.equals(written[1] ?? Buffer.of())).toBe(true);
  });

  it('are not needed once there is a token', async () => {
    const gateway = open(':memory:');
    const { cvv: _, ...kept } = await chargeRequest(gateway, 'approve');
    expect(await gateway.charge(kept)).toMatchObject({ result: 'captured' });
  });
});
