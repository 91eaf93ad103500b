/** `counterfoil define`: merchant accounts and reference data from a file. */
import { readFileSync } from 'node:fs';
import { MerchantAccount, Reference, type TenantId } from '@counterfoil/core';
import { counted } from '@counterfoil/engine';
import { type Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { OPERATOR, type Session, tenantIdOf } from './session.ts';

const { events } = Reference;

/** The content of a file, each list under its plural; fields as in the events, without the time. */
const Definitions = z.strictObject({
  companies: z.array(events.CompanyDefined.schema.omit({ at: true })).default([]),
  shops: z.array(events.ShopDefined.schema.omit({ at: true })).default([]),
  applications: z.array(events.ApplicationDefined.schema.omit({ at: true })).default([]),
  products: z.array(events.ProductDefined.schema.omit({ at: true })).default([]),
  /** `amountMinor` in minor units, as text. */
  pricePoints: z.array(events.PricePointDefined.schema.omit({ at: true })).default([]),
  campaigns: z.array(events.CampaignDefined.schema.omit({ at: true })).default([]),
  affiliates: z.array(events.AffiliateDefined.schema.omit({ at: true })).default([]),
  storefrontProducts: z.array(Reference.StorefrontProduct).default([]),
  merchantAccounts: z
    .array(
      MerchantAccount.Settings.partial()
        .extend(
          MerchantAccount.Settings.pick({
            mid: true,
            title: true,
            companyId: true,
            gatewayId: true,
            descriptor: true,
            defaultCurrency: true,
            currencies: true,
          }).shape,
        )
        .extend({ id: z.int().positive() }),
    )
    .default([]),
});
type Definitions = z.output<typeof Definitions>;

export function addDefineCommands(program: Command, session: Session): void {
  program
    .command('define')
    .description(
      'Define companies, shops, products, merchant accounts and the like from a JSON file',
    )
    .argument('<tenant-id>', 'the id of the parent company', tenantIdOf)
    .argument('<file>', 'see the README for its form', readDefinitions)
    .action((tenantId: TenantId, definitions: Definitions) =>
      session.withHost(async ({ tenants, merchantAccounts, commands }) => {
        const at = commands.clock.now();
        const changed: string[] = [];
        for (const definition of commandsOf(tenantId, definitions, at)) {
          const isChanged = await tenants.define(definition, OPERATOR);
          if (isChanged) changed.push(Reference.streamOf(definition));
        }
        for (const { id, ...given } of definitions.merchantAccounts) {
          const settings = withoutUndefined(given);
          const isChanged = await merchantAccounts.define(tenantId, id, settings, OPERATOR);
          const account = { tenantId, merchantAccountId: id };
          if (isChanged) changed.push(MerchantAccount.streamOf(account));
        }
        session.console.log(`Tenant ${tenantId} has what the file defines`);
        session.console.log(changed.length === 0 ? 'Nothing changed' : changeReport(changed));
      }),
    );
}

function changeReport(changed: readonly string[]): string {
  return [`${counted(changed.length, 'definition')} made or changed:`, ...changed].join('\n  ');
}

function readDefinitions(path: string): Definitions {
  const parsed = Definitions.safeParse(jsonIn(path));
  if (parsed.success) return parsed.data;
  throw new InvalidArgumentError(`\n${z.prettifyError(parsed.error)}`);
}

function jsonIn(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

function commandsOf(
  tenantId: TenantId,
  definitions: Definitions,
  at: string,
): Parameters<typeof Reference.streamOf>[0][] {
  const of = { tenantId, at };
  return [
    ...definitions.companies.map((each) => ({ type: 'DefineCompany' as const, ...of, ...each })),
    ...definitions.shops.map((each) => ({ type: 'DefineShop' as const, ...of, ...each })),
    ...definitions.applications.map((each) => ({
      type: 'DefineApplication' as const,
      ...of,
      ...each,
    })),
    ...definitions.products.map((each) => ({ type: 'DefineProduct' as const, ...of, ...each })),
    ...definitions.pricePoints.map((each) => ({
      type: 'DefinePricePoint' as const,
      ...of,
      ...each,
    })),
    ...definitions.campaigns.map((each) => ({ type: 'DefineCampaign' as const, ...of, ...each })),
    ...definitions.affiliates.map((each) => ({ type: 'DefineAffiliate' as const, ...of, ...each })),
    ...definitions.storefrontProducts.map((product) => ({
      type: 'DefineStorefrontProduct' as const,
      ...of,
      product,
    })),
  ];
}

type Given = MerchantAccount.RequiredSettings & Partial<MerchantAccount.Settings>;

/** Drops undefined settings: they would replace the defaults. */
function withoutUndefined(given: { [Name in keyof Given]: Given[Name] | undefined }): Given {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as unknown as Given;
}
