/** What callers may pass to the sender domains of a tenant. */
import { SenderDomains } from '@counterfoil/core';
import { z } from 'zod';
import { notACardNumber } from '../input/card-number-search.ts';
import { bounded, pattern, text } from '../input/texts.ts';

/** A private key of 4096 bits takes about 3,300 characters. */
const MAX_KEY_LENGTH = 5_000;

export const DomainName = text(253);
/** A label, or several with dots, in front of `._domainkey`. */
export const DkimSelector = pattern(
  /^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$/,
  { max: SenderDomains.MAX_SELECTOR_LENGTH, detail: 'must be letters, digits, dashes and dots' },
);
/** RSA of 1024 to 4096 bits in PEM, or as it is masked when it is read. */
export const DkimPrivateKey = notACardNumber(bounded(MAX_KEY_LENGTH));

const settings = {
  /** Also the domains below it, unless one is there for itself. Default: false. */
  includeSubdomains: z.boolean().optional(),
  /** Default: `authorized`. */
  status: z.enum(['authorized', 'disabled']).optional(),
};

export const SenderDomainInput = z.strictObject({
  domain: DomainName,
  ...settings,
  dkimSelector: DkimSelector.optional(),
  dkimPrivateKey: DkimPrivateKey.optional(),
});
export type SenderDomainInput = z.input<typeof SenderDomainInput>;

/** What is absent stays as it is; null takes it away. */
export const SenderDomainChange = z.strictObject({
  ...settings,
  dkimSelector: DkimSelector.nullable().optional(),
  dkimPrivateKey: DkimPrivateKey.nullable().optional(),
  rowVersion: z.int().positive().optional(),
});
export type SenderDomainChange = z.input<typeof SenderDomainChange>;

export const DomainId = text(64);
