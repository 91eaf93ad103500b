/** What a file of definitions may hold, and how it is put into force: merchant accounts and reference data. */
import { MerchantAccount, Reference, type TenantId } from '@counterfoil/core';
import type { Caller, Engine } from '@counterfoil/engine';
import { z } from 'zod';

const { events } = Reference;

/** The content of a file, each list under its plural; fields as in the events, without the time. */
export const Definitions = z.strictObject({
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
export type Definitions = z.output<typeof Definitions>;

type Services = Pick<Engine, 'tenants' | 'merchantAccounts' | 'commands'>;

/** Defines everything of the file, and answers the streams that were made or changed. */
export async function define(
  { tenants, merchantAccounts, commands }: Services,
  { tenantId, definitions }: { readonly tenantId: TenantId; readonly definitions: Definitions },
  caller: Caller,
): Promise<readonly string[]> {
  const at = commands.clock.now();
  const changed: string[] = [];
  for (const definition of commandsOf(tenantId, definitions, at)) {
    const isChanged = await tenants.define(definition, caller);
    if (isChanged) changed.push(Reference.streamOf(definition));
  }
  for (const { id, ...given } of definitions.merchantAccounts) {
    const settings = withoutUndefined(given);
    const isChanged = await merchantAccounts.define(tenantId, id, settings, caller);
    const account = { tenantId, merchantAccountId: id };
    if (isChanged) changed.push(MerchantAccount.streamOf(account));
  }
  return changed;
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
