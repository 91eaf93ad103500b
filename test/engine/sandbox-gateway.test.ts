/** What the sandbox does with each card, what it remembers when it is killed, and what it never writes down. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  type Behaviour,
  CardRefused,
  type ChargeRequest,
  type ChargeResult,
  cardBrands,
  cardDigits,
  GatewayTimeout,
  OUTCOMES,
  openSandboxGateway,
  SANDBOX_CARDS,
  type SandboxGateway,
} from '@counterfoil/engine/gateways';
import { describe, expect, it, test } from 'vitest';
import {
  CVV,
  card,
  charged,
  chargeRequest,
  FINGERPRINT,
  followUp,
  newPath,
  open,
  timedOut,
} from './sandbox-desk.ts';

/** For a process that knows no packages by their names. */
const ROOT = new URL('../../', import.meta.url);
const FACE = new URL('packages/engine/src/gateways/index.ts', ROOT).href;

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

  it('delays a slow card only', async () => {
    const gateway = open({ path: ':memory:', answerDelayMs: 60 });
    const patient = open({ path: ':memory:', answerDelayMs: 3_600_000 });
    const started = performance.now();
    await gateway.charge(await chargeRequest(gateway, 'slow'));
    expect(performance.now() - started).toBeGreaterThan(50);
    await patient.charge(await chargeRequest(patient, 'approve'));
  });

  it('has a slow charge in its books before it answers', async () => {
    const gateway = open({ path: ':memory:', answerDelayMs: 30 });
    const answer = gateway.charge(await chargeRequest(gateway, 'slow'));
    expect(await gateway.findCharge({ idempotencyKey: 'charge-1' })).toMatchObject({
      result: 'captured',
    });
    await answer;
  });

  it('waits before a timeout as configured', async () => {
    const gateway = open({ path: ':memory:', timeoutMs: 30 });
    const request = await chargeRequest(gateway, 'timeout-approve');
    const started = performance.now();
    await expect(gateway.charge(request)).rejects.toThrow(GatewayTimeout);
    expect(performance.now() - started).toBeGreaterThan(25);
  });
});

/** Everything that a card does, in a few words. */
async function storyOf(gateway: SandboxGateway, request: ChargeRequest): Promise<string> {
  const { idempotencyKey: key } = request;
  const found = async () => inWords(await gateway.findCharge({ idempotencyKey: key }));
  const answer = await gateway.charge(request).catch(timedOut);
  if (answer === undefined) return `timeout, found ${await found()}`;
  expect(await gateway.findCharge({ idempotencyKey: key })).toEqual(answer);
  if (answer.result === 'action-required') {
    const confirmed = await gateway.confirm(
      followUp(answer.gatewayTransactionId, `${key}-confirm`),
    );
    expect(await gateway.findCharge({ idempotencyKey: key })).toEqual(confirmed);
    return `action-required, then ${inWords(confirmed)}`;
  }
  if (answer.result !== 'captured') return inWords(answer);

  const words = [inWords(answer)];
  const { gatewayTransactionId: id } = answer;
  words.push(...(await gateway.noticesOf(id)).map(({ kind }) => kind));
  const refund = await gateway.refund(followUp(id, `${key}-refund`, 1n)).catch(timedOut);
  const refundFound = (await gateway.findFollowUp('refund', { idempotencyKey: `${key}-refund` }))
    ?.result;
  if (refund === undefined) words.push(`refund timeout, found ${refundFound}`);
  else {
    expect(refundFound).toBe(refund.result);
    if (refund.result === 'refused') words.push('refund refused');
  }
  return words.join(', ');
}

function inWords(result: ChargeResult | undefined): string {
  if (result === undefined) return 'nothing';
  if (result.result !== 'declined') return result.result;
  return `declined ${result.declineCode} ${result.hard ? 'hard' : 'soft'}`;
}

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

  it('may require an action without a customer present', async () => {
    expect(await rebill('recurring-action')).toMatchObject({ result: 'action-required' });
  });

  it('are like any other charge for the other cards', async () => {
    expect(await rebill('approve')).toMatchObject({ result: 'captured' });
    expect(await rebill('do-not-honour')).toMatchObject({ result: 'declined', hard: false });
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
});

describe('the books of a file', () => {
  it('lose nothing that was answered when the process is killed', { timeout: 60_000 }, async () => {
    const path = newPath();
    const script = `
      import { openSandboxGateway } from ${JSON.stringify(FACE)};
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
    const [folder, name] = [dirname(path), basename(path)];
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
    // Four digits may be a part of an id.
    expect(JSON.stringify(said)).not.toMatch(new RegExp(`(?<![-\\w])${CVV}0?(?![-\\w])`));
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
});
