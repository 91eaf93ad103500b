/** What each decline of Stripe becomes. */
import { describe, expect, it } from 'vitest';
import { DECLINE_KINDS, declineOf } from './declines.ts';

describe('codes', () => {
  it.each([
    ['do_not_honor', 'soft', 'do_not_honor', false],
    ['generic_decline', 'soft', 'generic_decline', false],
    ['insufficient_funds', 'insufficient-funds', 'insufficient_funds', false],
    ['withdrawal_count_limit_exceeded', 'insufficient-funds', 'insufficient_funds', false],
    ['expired_card', 'expired', 'expired_card', true],
    ['incorrect_cvc', 'new-card', 'incorrect_cvc', true],
    ['stolen_card', 'hard', 'stolen_card', true],
    ['fraudulent', 'hard', 'fraudulent', true],
    ['authentication_required', 'customer', 'authentication_required', true],
    ['not_in_the_table', 'soft', 'not_in_the_table', false],
  ])('%s', (code, kind, declineCode, hard) => {
    expect(declineOf({ code: 'card_declined', decline_code: code })).toEqual({
      kind,
      declineCode,
      hard,
    });
  });

  it('takes the code where there is no decline code, and neither as a refusal without a reason', () => {
    expect(declineOf({ code: 'expired_card' }).kind).toBe('expired');
    expect(declineOf({})).toEqual({ kind: 'soft', declineCode: 'generic_decline', hard: false });
  });
});

describe('advice', () => {
  const soft = { decline_code: 'generic_decline' };

  it.each([
    [{ advice_code: 'do_not_try_again' }, 'hard'],
    [{ advice_code: 'confirm_card_data' }, 'new-card'],
    [{ advice_code: 'try_again_later' }, 'soft'],
    [{ network_advice_code: '01' }, 'new-card'],
    [{ network_advice_code: '02' }, 'soft'],
    [{ network_advice_code: '03' }, 'hard'],
    [{ network_advice_code: '21' }, 'hard'],
  ])('%o makes a soft decline %s', (advice, kind) => {
    expect(declineOf({ ...soft, ...advice }).kind).toBe(kind);
  });

  it('never makes a decline softer', () => {
    const kinds = Object.entries(DECLINE_KINDS).filter(([, kind]) => !/soft|funds/.test(kind));
    for (const [code, kind] of kinds) {
      const advised = declineOf({ decline_code: code, advice_code: 'try_again_later' });
      expect(advised).toMatchObject({ kind, hard: true });
    }
  });
});
