/** The books of the sandbox: one contract for every store. */
import {
  type ChargeRequest,
  IdempotencyKeyReused,
  SANDBOX_CARDS,
  type SandboxGateway,
  type SandboxOptions,
} from '@counterfoil/engine/gateways';
import { describe, expect, it, test } from 'vitest';
import { hostDatabaseOfFile } from '../setup/host-database.ts';
import { casesOfProject } from '../setup/stores.ts';
import {
  ACCOUNT,
  card,
  charged,
  chargeRequest,
  FINGERPRINT,
  followUp,
  idIn,
  newPath,
  open,
  timedOut,
} from './sandbox-desk.ts';

const hostDatabase = hostDatabaseOfFile();
let gateways = 1;

/** Books without an entry. */
const PLACES = casesOfProject<readonly [string, () => SandboxOptions]>({
  embedded: [
    ['a file', () => ({ path: newPath() })],
    ['memory', () => ({ path: ':memory:' })],
  ],
  postgres: [['PostgreSQL', newBooksInDatabase]],
});

/** Those of another gateway are others. */
function newBooksInDatabase(): SandboxOptions {
  gateways += 1;
  return { database: hostDatabase().pool, gatewayId: gateways };
}

describe.each(PLACES)('books in %s:', (name, newPlace) => {
  describe('the port', () => {
    it('gives references that identify its charges, and a capture keeps them', async () => {
      const gateway = open(newPlace());
      const change = { capture: false, avs: { postalCode: '1010', address: 'Ring 1' } };
      const answer = await gateway.charge(await chargeRequest(gateway, 'approve', change));
      expect(answer).toEqual({
        result: 'authorized',
        authCode: expect.stringMatching(/^[2-9A-Z]{6}$/),
        gatewayTransactionId: expect.stringMatching(/^sbx_[0-9a-f]{16}$/),
        arn: expect.stringMatching(/^7\d{22}$/),
        avsChecked: true,
        note: 'approved',
      });
      const id = idIn(answer);
      const captured = await gateway.capture(followUp(id, 'capture-1'));
      const arn = 'arn' in answer ? answer.arn : '';
      expect(captured).toEqual({ result: 'done', gatewayTransactionId: id, arn, note: 'captured' });
      const refund = await gateway.refund(followUp(id, 'refund-1', 1n));
      expect(refund).toMatchObject({ arn: expect.stringMatching(/^7\d{22}$/) });
      expect('arn' in refund && refund.arn).not.toBe(arn);
    });

    it('gives back what a token was made of', async () => {
      const gateway = open(newPlace());
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

    it('finds a charge that was handed in and is not answered yet', async () => {
      const gateway = open({ ...newPlace(), answerDelayMs: 30 });
      const answer = gateway.charge(await chargeRequest(gateway, 'slow'));
      expect(await gateway.findCharge({ idempotencyKey: 'charge-1' })).toMatchObject({
        result: 'captured',
      });
      await answer;
    });

    it('may be closed twice', async () => {
      const gateway = open(newPlace());
      await gateway.close();
      await gateway.close();
    });
  });

  describe('an action of the customer', () => {
    it('is asked for at an address of ours that names the charge', async () => {
      const gateway = open(newPlace());
      const answer = await gateway.charge(await chargeRequest(gateway, 'action-approve'));
      expect(answer).toMatchObject({
        result: 'action-required',
        nextAction: { type: '3ds', url: `https://acs.sandbox.example/3ds/${idIn(answer)}` },
      });
    });

    it('leads to what was asked for in the first place', async () => {
      const gateway = open(newPlace());
      const avs = { postalCode: '1010', address: 'Ring 1' };
      const request = await chargeRequest(gateway, 'action-approve', { capture: false, avs });
      const asked = await gateway.charge(request);
      const confirmed = await gateway.confirm(followUp(idIn(asked), 'confirm-1'));
      expect(confirmed).toMatchObject({ result: 'authorized', avsChecked: true });
      expect(idIn(confirmed)).toBe(idIn(asked));
      expect(await gateway.findCharge({ idempotencyKey: 'confirm-1' })).toEqual(confirmed);
      // The charge's key gets its first response, the query the current one.
      expect(await gateway.charge(request)).toEqual(asked);
      expect(await gateway.findCharge({ idempotencyKey: 'charge-1' })).toEqual(confirmed);
      expect(await gateway.confirm(followUp(idIn(asked), 'confirm-1'))).toEqual(confirmed);
    });

    it('repeated does not change the charge', async () => {
      const gateway = open(newPlace());
      const id = await charged(gateway, 'action-approve');
      const first = await gateway.confirm(followUp(id, 'confirm-1'));
      await gateway.refund(followUp(id, 'refund-1', 1_000n));
      expect(await gateway.confirm(followUp(id, 'confirm-2'))).toEqual(first);
      expect(await gateway.refund(followUp(id, 'refund-2', 9_001n))).toMatchObject({
        result: 'refused',
      });
    });

    it('cannot be done for another charge or amount', async () => {
      const gateway = open(newPlace());
      const id = await charged(gateway, 'action-approve');
      const wrong = [
        followUp('sbx_0000000000000000', 'confirm-1'),
        followUp(id, 'confirm-2', 9_999n),
        { ...followUp(id, 'confirm-3'), currency: 'USD' },
      ];
      for (const request of wrong) {
        expect(await gateway.confirm(request)).toMatchObject({ result: 'failed' });
      }
      expect(await gateway.findCharge({ idempotencyKey: 'charge-1' })).toMatchObject({
        result: 'action-required',
      });
    });
  });

  describe('an idempotency key', () => {
    it('identifies one charge with all its facts', async () => {
      const gateway = open(newPlace());
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
        await expect(gateway.charge({ ...request, ...change })).rejects.toThrow(
          IdempotencyKeyReused,
        );
      }
      const { cvv: _, ...withoutCvv } = request;
      const credentials = { ...ACCOUNT.credentials, password: 'rotated' };
      const again = await gateway.charge({ ...withoutCvv, account: { ...ACCOUNT, credentials } });
      expect(again).toEqual(await gateway.findCharge({ idempotencyKey: 'charge-1' }));
    });

    it('identifies one operation', async () => {
      const gateway = open(newPlace());
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

    it('has the same references in every sandbox', async () => {
      const answers = await Promise.all(
        [open(newPlace()), open(':memory:')].map(async (gateway) =>
          gateway.charge(await chargeRequest(gateway, 'approve')),
        ),
      );
      expect(answers[0]).toEqual(answers[1]);
    });
  });

  describe('what a gateway refuses', () => {
    it('does nothing on a charge that it does not know as this account’s', async () => {
      const gateway = open(newPlace());
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
        const gateway = open(newPlace());
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

    it('takes no amount of less than nothing', async () => {
      const gateway = open(newPlace());
      expect(
        await gateway.charge(await chargeRequest(gateway, 'approve', { amountMinor: -1n })),
      ).toEqual({ result: 'failed', note: 'the amount must not be less than 0' });
    });

    it('takes no token that it did not make', async () => {
      const gateway = open(newPlace());
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
  });

  describe('the books', () => {
    it.skipIf(name === 'memory')('are the same after a restart, and go on', async () => {
      const place = newPlace();
      const first = open(place);
      const requests: ChargeRequest[] = [];
      for (const [index, { behaviour }] of SANDBOX_CARDS.entries()) {
        const change = { idempotencyKey: `charge-${index}` };
        requests.push(await chargeRequest(first, behaviour, change));
      }
      const rowsSeen = async (gateway: SandboxGateway) => {
        const answers: unknown[] = [];
        for (const request of requests) {
          answers.push(await gateway.charge(request).catch(timedOut));
          answers.push(await gateway.findCharge({ idempotencyKey: request.idempotencyKey }));
        }
        return answers;
      };
      const before = await rowsSeen(first);
      const id = idIn(await first.findCharge({ idempotencyKey: 'charge-0' }));
      const refunded = await first.refund(followUp(id, 'refund-1', 6_000n));
      const records = await Array.fromAsync(first.records());
      await first.close();

      const second = open(place);
      expect(await Array.fromAsync(second.records())).toEqual(records);
      expect(await rowsSeen(second)).toEqual(before);
      expect(await Array.fromAsync(second.records())).toEqual(records);
      expect(await second.refund(followUp(id, 'refund-1', 6_000n))).toEqual(refunded);
      expect(await second.refund(followUp(id, 'refund-2', 6_000n))).toMatchObject({
        result: 'refused',
      });
      const other = { ...followUp(id, 'refund-1', 6_001n) };
      await expect(second.refund(other)).rejects.toThrow(IdempotencyKeyReused);
    });

    it('list every request in order, over pages, during writes', {
      timeout: 60_000,
    }, async () => {
      const gateway = open(newPlace());
      const { idempotencyKey: _, ...request } = await chargeRequest(gateway, 'approve');
      for (let each = 0; each < 1_001; each += 1) {
        await gateway.charge({ ...request, idempotencyKey: `charge-${each}` });
      }
      const listed: string[] = [];
      for await (const { idempotencyKey } of gateway.records()) {
        if (listed.length === 0)
          await gateway.charge({ ...request, idempotencyKey: 'charge-1001' });
        listed.push(idempotencyKey);
      }
      expect(listed).toEqual(Array.from({ length: 1_002 }, (_each, index) => `charge-${index}`));
    });

    it('say of each request what it was and how it ended', async () => {
      const gateway = open(newPlace());
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
  });
});
