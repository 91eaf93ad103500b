/** `counterfoil tenants …`: onboarding and settings. */
import { Tenant, type TenantId } from '@counterfoil/core';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { type Address, withAddress, withHost, withOwnHost } from './host-ways.ts';
import { type Session, tenantIdOf, wholeNumber } from './session.ts';

const TENANTS = '/operator/tenants';
const SETTINGS = '/api/admin/settings';

const Tenants = z.object({
  items: z.array(z.object({ id: z.int(), name: z.string(), createdAt: z.string() })),
});
const Item = z.object({ item: z.looseObject({}) });

interface SettingOptions {
  readonly requestsPerMinute?: number;
  readonly refundWindowDays?: number;
  readonly reserveHoldDays?: number;
  readonly retryAfterDays?: number[];
  readonly dunningMails?: Tenant.Dunning['mails'];
  readonly unsubscribeOnDispute?: boolean;
  readonly requireKnownUsers?: boolean;
  readonly lateCapture?: Tenant.LateCapture['action'];
  readonly lateCaptureAfterMinutes?: number;
}

export function addTenantCommands(program: Command, session: Session): void {
  const tenants = program
    .command('tenants')
    .description('Onboard tenants and change their settings');
  withSettings(
    tenants
      .command('onboard')
      .description('Onboard a tenant')
      .argument('<tenant-id>', 'the id of the parent company', tenantIdOf)
      .argument('<name>', 'its name'),
  ).action((tenantId: TenantId, name: string, options: SettingOptions) =>
    withOwnHost(
      session,
      async (host) => {
        const json = { id: tenantId, name, settings: changeOf(options) };
        const { item } = await host.ask(Item, { method: 'POST', path: TENANTS, json });
        session.print(item, (console) => console.log(`Tenant ${tenantId} is onboarded`));
      },
      { isFirst: true },
    ),
  );
  withAddress(
    withSettings(
      tenants
        .command('set')
        .description('Change settings of a tenant')
        .argument('<tenant-id>', 'the id of the parent company', tenantIdOf),
    ),
  ).action((tenantId: TenantId, options: SettingOptions & Address) =>
    withHost(session, options, async (host) => {
      const json = changeOf(options);
      const { item } = await host.ask(Item, { method: 'PATCH', path: SETTINGS, tenantId, json });
      session.print(item, (console) => console.log(`The settings of tenant ${tenantId} are kept`));
    }),
  );
  tenants
    .command('list')
    .description('List all tenants')
    .action(() =>
      withOwnHost(session, async (host) => {
        const { items } = await host.ask(Tenants, { method: 'GET', path: TENANTS });
        session.print({ items }, (console) => console.table(items));
      }),
    );
}

const { requestsPerMinute, refundWindowDays, reserveHoldDays } = Tenant.Settings.shape;
const { retryAfterDays, mails } = Tenant.Dunning.shape;
const { action, afterMinutes } = Tenant.LateCapture.shape;

function withSettings(command: Command): Command {
  return command
    .option(
      '--requests-per-minute <count>',
      'rate limit of each environment',
      within(requestsPerMinute),
    )
    .option(
      '--refund-window-days <days>',
      'how long a capture may be refunded',
      within(refundWindowDays),
    )
    .option(
      '--reserve-hold-days <days>',
      'how long a rolling reserve is held',
      within(reserveHoldDays),
    )
    .option(
      '--retry-after-days <days>',
      'when a declined rebill is tried again, counted from the first try, such as 1,3,5,7; none: never',
      retriesOf,
    )
    .option(
      '--dunning-mails <mails>',
      `mails to subscribers: ${mails.element.options.join(',')}, or none`,
      mailsOf,
    )
    .option(
      '--unsubscribe-on-dispute <true|false>',
      'whether a chargeback or a confirmed fraud ends subscriptions',
      trueOrFalse,
    )
    .option(
      '--require-known-users <true|false>',
      'whether UserEmail must name an active user of the tenant',
      trueOrFalse,
    )
    .addOption(
      new Option(
        '--late-capture <action>',
        'what happens to a payment of unknown outcome that is found captured late',
      ).choices(action.options),
    )
    .option(
      '--late-capture-after-minutes <minutes>',
      'when that is late, counted from when its outcome was unknown',
      within(afterMinutes),
    );
}

const PLAIN = [
  'requestsPerMinute',
  'refundWindowDays',
  'reserveHoldDays',
  'unsubscribeOnDispute',
  'requireKnownUsers',
] as const;

function pickDefined(options: SettingOptions, names: typeof PLAIN): Tenant.SettingsChange {
  const given = names.map((name) => [name, options[name]] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

/** Settings that are not given stay unchanged. */
function changeOf(options: SettingOptions): Tenant.SettingsChange {
  const { retryAfterDays: retries, dunningMails } = options;
  const { lateCapture: late, lateCaptureAfterMinutes: minutes } = options;
  const dunning = {
    ...(retries !== undefined && { retryAfterDays: retries }),
    ...(dunningMails !== undefined && { mails: dunningMails }),
  };
  const lateCapture = {
    ...(late !== undefined && { action: late }),
    ...(minutes !== undefined && { afterMinutes: minutes }),
  };
  return {
    ...pickDefined(options, PLAIN),
    ...(Object.keys(dunning).length > 0 && { dunning }),
    ...(Object.keys(lateCapture).length > 0 && { lateCapture }),
  };
}

interface Bounds {
  readonly minValue: number | null;
  readonly maxValue: number | null;
}

/** Parses a whole number within the bounds of the setting. */
function within({ minValue, maxValue }: Bounds): (text: string) => number {
  const least = minValue ?? 0;
  const most = maxValue ?? Number.MAX_SAFE_INTEGER;
  return (text) => {
    const number = wholeNumber(text);
    if (number >= least && number <= most) return number;
    throw new InvalidArgumentError(`must be a whole number from ${least} to ${most}`);
  };
}

/** Splits a list; `none` is the empty one. */
function listOf(text: string): readonly string[] {
  return text === 'none' ? [] : text.split(',').map((each) => each.trim());
}

function retriesOf(text: string): number[] {
  const days = listOf(text).map(within(retryAfterDays.element));
  if (days.length > Tenant.MAX_RETRIES) {
    throw new InvalidArgumentError(`must be at most ${Tenant.MAX_RETRIES} days`);
  }
  if (days.some((day, index) => day <= (days[index - 1] ?? 0))) {
    throw new InvalidArgumentError('must ascend, such as 1,3,5,7');
  }
  return days;
}

function mailsOf(text: string): Tenant.Dunning['mails'] {
  const { element } = mails;
  const known: readonly string[] = element.options;
  const names = listOf(text);
  const isSound = names.every((name) => known.includes(name));
  if (isSound && new Set(names).size === names.length) return element.array().parse(names);
  throw new InvalidArgumentError(`must be none, or of ${known.join(', ')}, each once`);
}

function trueOrFalse(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new InvalidArgumentError('must be true or false');
}
