/** Claims of emails: each belongs to the first customer id that claims it, until it is released. */
import { EmailClaim, type TenantId } from '@counterfoil/core';
import { given } from '@counterfoil/core/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { whenOf } from './when.ts';

const when = whenOf(EmailClaim);

const at = '2026-01-01T00:00:00.000Z';
const who = { tenantId: 7 as TenantId, sandbox: false, emailKey: 'c0ffee', customerId: 601, at };
const identify: EmailClaim.Command = {
  ...who,
  type: 'IdentifyCustomer',
  email: 'ada@example.com',
};
const release: EmailClaim.Command = { ...who, type: 'ReleaseEmail' };
const identified: EmailClaim.Event = {
  type: 'CustomerIdentified',
  sandbox: false,
  customerId: 601,
  email: 'ada@example.com',
  at,
};
const released: EmailClaim.Event = { type: 'EmailReleased', sandbox: false, customerId: 601, at };
const ofAnother: EmailClaim.Event = { ...identified, customerId: 602 };

describe('claiming', () => {
  it('gives a free email the id that was brought', () => when([], identify).then(identified));

  it('answers a known email with the id it has', () => {
    const known = given(EmailClaim, [identified]);
    known.when({ ...identify, customerId: 602 }).thenNothing();
    known.when(identify).thenNothing();
    const { customerId, email, sandbox } = identified;
    expect(known.state).toEqual({ holder: { customerId, email, sandbox }, claim: 1 });
  });

  it('gives a released email to the next claimant', () => {
    const free = given(EmailClaim, [identified, released]);
    expect(free.state).toEqual({ holder: null, claim: 1 });
    free.when({ ...identify, customerId: 602 }).then(ofAnother);
  });

  it('is renewed by its holder only', () => {
    const known = given(EmailClaim, [identified]);
    known.when({ ...identify, renew: true }).then(identified);
    known.when({ ...identify, customerId: 602, renew: true }).thenNothing();
  });
});

describe('releasing', () => {
  it('frees what the customer holds', () => when([identified], release).then(released));

  it('has no effect on a claim of another holder, or none', () => {
    when([], release).thenNothing();
    when([ofAnother], release).thenNothing();
    when([identified, released], release).thenNothing();
    when([identified, released, ofAnother], release).thenNothing();
  });

  it('leaves a claim that was renewed since', () => {
    const renewed = given(EmailClaim, [identified, identified]);
    renewed.when({ ...release, claim: 1 }).thenNothing();
    renewed.when({ ...release, claim: 2 }).then(released);
  });
});

it('never has two holders, whatever is asked in whichever order', () => {
  const command: fc.Arbitrary<EmailClaim.Command> = fc
    .record({
      customerId: fc.integer({ min: 601, max: 603 }),
      claim: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
      claims: fc.boolean(),
      renew: fc.boolean(),
    })
    .map(({ customerId, claim, claims, renew }) =>
      claims
        ? { ...identify, customerId, renew }
        : { ...release, customerId, ...(claim !== undefined && { claim }) },
    );
  fc.assert(
    fc.property(fc.array(command, { maxLength: 20 }), (commands) => {
      let holder: number | undefined;
      const past: EmailClaim.Event[] = [];
      for (const next of commands) {
        const decided = EmailClaim.decide(given(EmailClaim, past).state, next);
        if (decided._tag === 'Left') throw new Error('a claim is never refused');
        for (const event of decided.right) {
          if (event.type === 'CustomerIdentified') {
            expect([undefined, event.customerId]).toContain(holder);
            holder = event.customerId;
          } else {
            expect(event.customerId).toBe(holder);
            holder = undefined;
          }
        }
        past.push(...decided.right);
        expect(given(EmailClaim, past).state.holder?.customerId).toBe(holder);
      }
    }),
  );
});

it('keeps the email out of the stream’s name, and sandbox apart from live', () => {
  expect(EmailClaim.streamOf(who)).toBe('customer-7-live-c0ffee');
  expect(EmailClaim.streamOf({ ...who, sandbox: true })).toBe('customer-7-test-c0ffee');
});
