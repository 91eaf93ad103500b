/** The public interface of `@counterfoil/demo`: real sales and their import. */
export {
  authorizeDemoDomain,
  DEMO_TENANT_ID,
  type DemoCredentials,
  type DemoImport,
  demoKeys,
  importDemoSales,
  onboardDemoTenant,
  type PlannedSales,
  planSales,
  writeDemoCredentials,
} from './demo-tenant.ts';
export {
  type Imported,
  type ImportInto,
  type ImportTarget,
  importSales,
  OrdersDiffer,
} from './import-sales.ts';
export { addressOf } from './online-retail/address.ts';
export { LEFT_OUT, type LeftOutReason } from './online-retail/left-out.ts';
export type {
  ImportPlan,
  ImportStep,
  LinePart,
  OrderStep,
  Outcome,
  RefundStep,
} from './online-retail/plan.ts';
export { planImport } from './online-retail/plan-import.ts';
export {
  type MalformedLine,
  NotASalesFile,
  readSales,
  type SaleLine,
  type SaleRecord,
} from './online-retail/read-sales.ts';
export {
  type ImportReport,
  type ReportGroup,
  reconcile,
  renderReport,
} from './online-retail/report.ts';
export { openSales, SALES_EXTRACT } from './online-retail/sales-file.ts';
export { isCharge, type StockItem, stockItemOf } from './online-retail/stock-code.ts';
export { type PlannedProduct, storefrontProductOf } from './online-retail/storefront.ts';
export { withProgressBar } from './progress-bar.ts';
