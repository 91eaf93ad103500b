/** Evidence is handed in once, and again where the gateway refused it. */
import { DisputeEvidence, TenantId, type TransactionId } from '@counterfoil/core';
import { expect, it } from 'vitest';

const at = '2026-03-01T12:00:00.000Z';
const of = { tenantId: TenantId.parse(7), disputeId: 'd' as TransactionId, at };
const SUBMIT = { ...of, type: 'SubmitEvidence', digests: [], fieldCount: 1 } as const;
const sent = (submission: number, result: 'taken' | 'refused') =>
  ({ ...of, type: 'RecordAnswerSent', answer: 'evidence', submission, result, note: '' }) as const;

function typesOf(...commands: readonly DisputeEvidence.Command[]): readonly string[] {
  const types: string[] = [];
  let state = DisputeEvidence.initial;
  for (const command of commands) {
    const decided = DisputeEvidence.decide(state, command);
    if (decided._tag === 'Left') throw new Error(decided.left.type);
    for (const event of decided.right) {
      types.push(event.type);
      state = DisputeEvidence.evolve(state, event);
    }
  }
  return types;
}

const [SUBMITTED, SENT] = ['EvidenceSubmitted', 'DisputeAnswerSent'];

it.each([
  ['once', [SUBMIT, SUBMIT], [SUBMITTED]],
  ['once where it was taken', [SUBMIT, sent(1, 'taken'), SUBMIT], [SUBMITTED, SENT]],
  [
    'again where it was refused',
    [SUBMIT, sent(1, 'refused'), SUBMIT],
    [SUBMITTED, SENT, SUBMITTED],
  ],
  ['once after that', [SUBMIT, sent(1, 'refused'), SUBMIT, SUBMIT], [SUBMITTED, SENT, SUBMITTED]],
] as const)('is handed in %s', (_, commands, expected) => {
  expect(typesOf(...commands)).toEqual(expected);
});

it.each([
  ['nothing', [{ ...SUBMIT, fieldCount: 0 }], 'EvidenceMissing'],
  [
    'nothing after a refusal',
    [SUBMIT, sent(1, 'refused'), { ...SUBMIT, fieldCount: 0 }],
    'EvidenceMissing',
  ],
  ['a file that was not kept', [{ ...SUBMIT, digests: ['ab'], fieldCount: 0 }], 'EvidenceUnknown'],
] as const)('is not %s', (_, commands, code) => {
  expect(() => typesOf(...commands)).toThrow(code);
});

it('is nothing to refuse where it was handed in before', () => {
  expect(typesOf(SUBMIT, { ...SUBMIT, fieldCount: 0 })).toEqual([SUBMITTED]);
});

it('that was handed in with nothing, by an earlier version, is read', () => {
  const past: DisputeEvidence.Event = { type: 'EvidenceSubmitted', digests: [], fieldCount: 0, at };
  const state = DisputeEvidence.evolve(DisputeEvidence.initial, past);
  expect([state.submittedAt, DisputeEvidence.mayBeSubmitted(state)]).toEqual([at, false]);
});

it('has one answer for each submission', () => {
  expect(typesOf(SUBMIT, sent(1, 'refused'), sent(1, 'taken'), SUBMIT, sent(2, 'taken'))).toEqual([
    SUBMITTED,
    SENT,
    SUBMITTED,
    SENT,
  ]);
});
