/**
 * Plans the import of a month of real sales and reports what becomes of every line:
 * `node examples/import-online-retail/main.ts [file.csv | file.csv.gz]`.
 */
import {
  openSales,
  planImport,
  readSales,
  reconcile,
  renderReport,
  SALES_EXTRACT,
  type SaleRecord,
} from '@counterfoil/http-host/demo';

const records: SaleRecord[] = [];
for await (const record of readSales(openSales(process.argv[2] ?? SALES_EXTRACT))) {
  records.push(record);
}
const plan = planImport(records);
const report = reconcile(records, plan);
for (const { line, problem, text } of plan.malformed)
  console.error(`line ${line}: ${problem}: ${text}`);
console.log(renderReport(report));
