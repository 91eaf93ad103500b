/** Reports of disputes: kept once, matched once, and read alike in any order. */
import { Dispute, DisputeProvider, type TenantId, type TransactionId } from '@counterfoil/core';
import { given } from '@counterfoil/core/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { idOf, NOW } from './payment-story.ts';

const tenantId = 7 as TenantId;
const disputeId = idOf('chargeback');
const claim: Dispute.Claim = {
  kind: 'chargeback',
  provider: 'acme',
  reference: 'case-1',
  sandbox: false,
  currency: 'GBP',
  amountMinor: 1_999n,
  reasonCode: '10.4',
  alertType: null,
  alertSource: null,
  openedAt: NOW,
  respondBy: null,
};
const places: Dispute.Places = {
  transactionId: null,
  gatewayTransactionId: '',
  arn: '',
  orderId: null,
};

function reporting(
  status: Dispute.ReportedStatus,
  changes: { claim?: Partial<Dispute.Claim>; places?: Partial<Dispute.Places> } = {},
): Dispute.Command {
  return {
    type: 'ReportDispute',
    tenantId,
    disputeId,
    claim: { ...claim, ...changes.claim },
    places: { ...places, ...changes.places },
    status,
    note: '',
    at: NOW,
  };
}

function after(...commands: Dispute.Command[]): Dispute.State {
  let state: Dispute.State = null;
  for (const command of commands) {
    const decided = Dispute.decide(state, command);
    if (decided._tag === 'Left') throw new Error(decided.left.type);
    for (const event of decided.right) state = Dispute.evolve(state, event);
  }
  return state;
}

const statusAfter = (...commands: Dispute.Command[]) =>
  Dispute.statusOf(after(...commands) as Dispute.Dispute);

describe('a report', () => {
  it('is kept once', () => {
    const decided = Dispute.decide(after(reporting('ChargebackOpen')), reporting('ChargebackOpen'));
    expect(decided).toMatchObject({ right: [] });
  });

  it('adds a reference that was not known', () => {
    const state = after(
      reporting('ChargebackOpen'),
      reporting('ChargebackOpen', { places: { arn: 'a-1' } }),
      reporting('ChargebackOpen', { places: { arn: 'a-2', orderId: 3 } }),
    );
    expect(state?.places).toEqual({ ...places, arn: 'a-1', orderId: 3 });
  });

  it.each([
    ['amount', { amountMinor: 1n }],
    ['currency', { currency: 'USD' }],
    ['alert', { alertType: 'ConfirmedFraud' }],
  ] as const)('with another %s is refused', (field, other) => {
    const decided = Dispute.decide(
      after(reporting('ChargebackOpen')),
      reporting('ChargebackLost', { claim: other }),
    );
    expect(decided).toMatchObject({ left: { type: 'DisputeDiffers', field } });
  });

  it('comes to one status in any order and number', () => {
    const lives = [
      ['ChargebackOpen', 'ChargebackUnderReview', 'ChargebackWon'],
      ['ChargebackOpen', 'ChargebackUnderReview', 'ChargebackLost'],
      ['ChargebackOpen', 'ChargebackAccepted'],
      ['ChargebackOpen', 'ChargebackUnderReview'],
    ] as const;
    fc.assert(
      fc.property(
        fc.constantFrom(...lives).chain((life) =>
          fc
            .array(fc.constantFrom<Dispute.ReportedStatus>(...life), { maxLength: 5 })
            .chain((more) =>
              fc.tuple(
                fc.constant(life),
                fc.shuffledSubarray([...life, ...more], {
                  minLength: life.length + more.length,
                }),
              ),
            ),
        ),
        ([life, delivered]) => {
          expect(statusAfter(...delivered.map((status) => reporting(status)))).toBe(life.at(-1));
        },
      ),
    );
  });

  it('of a second outcome leaves the first', () => {
    expect(statusAfter(reporting('ChargebackLost'), reporting('ChargebackWon'))).toBe(
      'ChargebackLost',
    );
  });
});

describe('a match', () => {
  const match = (transactionId: TransactionId): Dispute.Command => ({
    type: 'MatchDispute',
    tenantId,
    disputeId,
    transactionId,
    matchedBy: 'arn',
    at: NOW,
  });

  it('is made once', () => {
    const matched = after(reporting('ChargebackOpen'), match(idOf('capture')));
    expect(matched?.transactionId).toBe(idOf('capture'));
    expect(Dispute.decide(matched, match(idOf('capture')))).toMatchObject({ right: [] });
    expect(Dispute.decide(matched, match(idOf('refund')))).toMatchObject({
      left: { type: 'DisputeMatchedBefore', transactionId: idOf('capture') },
    });
  });

  it('needs a report', () => {
    expect(Dispute.decide(null, match(idOf('capture')))).toMatchObject({
      left: { type: 'DisputeUnknown' },
    });
  });
});

describe('the secret of a provider', () => {
  const set = (sealed: string): DisputeProvider.Event => ({
    type: 'DisputeProviderSecretSet',
    sealed,
    overlapEndsAt: '2026-01-11T12:00:00.000Z',
    at: NOW,
  });

  it('stays good for its overlap after the next one is set', () => {
    const { state } = given(DisputeProvider, [set('a'), set('b')]);
    expect(DisputeProvider.secretsOf(state, NOW)).toEqual(['b', 'a']);
    expect(DisputeProvider.secretsOf(state, '2026-01-11T12:00:00.000Z')).toEqual(['b']);
  });

  it('is gone with the provider', () => {
    const gone: DisputeProvider.Event = { type: 'DisputeProviderRemoved', at: NOW };
    const { state } = given(DisputeProvider, [set('a'), gone]);
    expect(DisputeProvider.secretsOf(state, NOW)).toEqual([]);
  });
});
