/** The sections of the console, in the order of its navigation. */
import { ACCOUNT } from './account/slice.ts';
import { ACTIVITY } from './activity/slice.ts';
import { CUSTOMERS } from './customers/slice.ts';
import { DISPUTES } from './disputes/slice.ts';
import { GLOSSARY } from './glossary/slice.ts';
import { LEADS } from './leads/slice.ts';
import { LEDGER } from './ledger/slice.ts';
import { MAILS } from './mails/slice.ts';
import { MERCHANT_ACCOUNTS } from './merchant-accounts/slice.ts';
import { OPERATIONS } from './operations/slice.ts';
import { OVERVIEW } from './overview/slice.ts';
import { SETTINGS } from './settings/slice.ts';
import { SETTLEMENTS } from './settlements/slice.ts';
import type { ConsoleSlice } from './slice.ts';
import { SUBSCRIPTIONS } from './subscriptions/slice.ts';
import { TRANSACTIONS } from './transactions/slice.ts';
import { WEBHOOKS } from './webhooks/slice.ts';

export const CONSOLE: readonly ConsoleSlice[] = [
  OVERVIEW,
  TRANSACTIONS,
  CUSTOMERS,
  SUBSCRIPTIONS,
  DISPUTES,
  LEDGER,
  SETTLEMENTS,
  MERCHANT_ACCOUNTS,
  LEADS,
  MAILS,
  WEBHOOKS,
  ACTIVITY,
  OPERATIONS,
  SETTINGS,
  ACCOUNT,
  GLOSSARY,
];
