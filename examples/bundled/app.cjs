/** A program of CommonJS that requires the ledger. */
const { openLedger, Refused } = require('@counterfoil/engine');
const { sandbox } = require('@counterfoil/engine/gateways');

async function main() {
  const ledger = await openLedger({ storage: process.argv[2] ?? './data', gateways: [sandbox()] });
  const shop = ledger.as({ tenantId: 7, actor: 'shop' });
  const unknown = '00000000-0000-8000-8000-000000000000';
  const code = await shop.payments
    .get(unknown)
    .catch((error) => (error instanceof Refused ? error.code : String(error)));
  console.log(code);
  await ledger.close();
}

main();
