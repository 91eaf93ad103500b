/** Customers by an email that they paid with. */
import type { Visit } from '../slice.ts';

/** An email may have made payments as several customers, one after the other. */
const SEARCHED = 100;

/** None where the roles do not allow to see payments. */
export async function customerIdsByEmail(visit: Visit, email: string): Promise<readonly number[]> {
  if (!email.includes('@') || !visit.may('transactions:read')) return [];
  const page = await visit.ledger.transactions.search({ emails: [email], limit: SEARCHED });
  return [...new Set(page.transactions.map(({ customerId }) => customerId))];
}
