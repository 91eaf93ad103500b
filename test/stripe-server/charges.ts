/** Charges, read only: they are made by PaymentIntents. */
import { type Route, route } from './route.ts';

export const chargeRoutes: readonly Route[] = [
  route('GET', '/v1/charges/{charge}', {}, ({ state, id }) => state.charges.get(id, 'id')),
];
