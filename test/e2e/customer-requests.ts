/** Requests about customers, as the tests make them. */
import { expect } from 'vitest';
import type { Answer, Caller, Json } from './running-host.ts';

/** An id that no tenant has given out. */
export const UNKNOWN_ID = 2_000_000_000;

export const ADDRESS = {
  addressType: 'SHIPPING' as const,
  email: 'door@example.com',
  firstName: 'Ada',
  lastName: 'Lovelace',
  address: '12 St James’s Square',
  city: 'London',
  postalCode: 'SW1Y 4JH',
  state: '',
  countryCode: 'GB',
  phone: '+44 20 7946 0000',
};

let count = 0;

/** A new email. */
export function newEmail(): string {
  count += 1;
  return `customer-${count}@example.com`;
}

/** What is left of an answer without what names its request. */
export function visible({ status, body }: Answer): Json {
  const { requestId: _, ...rest } = body;
  return { status, ...rest };
}

/** The requests of a caller, unless another makes them. */
export function customersOf(caller: () => Caller) {
  return {
    async register(changes: Json = {}, by = caller()): Promise<Json> {
      const answer = await by.post('/customers', { body: { email: newEmail(), ...changes } });
      expect(answer.status, answer.text).toBe(201);
      return answer.body;
    },

    async put(id: number, body: Json, headers: Json = {}, by = caller()): Promise<Answer> {
      return by.put('/customers/{id}', { path: { id }, body, headers });
    },

    async read(id: number, by = caller(), query = {}): Promise<Json> {
      const answer = await by.get('/customers/{id}', { path: { id }, query });
      expect(answer.status, answer.text).toBe(200);
      return answer.body;
    },

    async addMethod(id: number, body: Json, headers: Json = {}): Promise<Answer> {
      return caller().post('/customers/{id}/payment-methods', { path: { id }, body, headers });
    },

    async erase(id: number, by = caller(), query = {}): Promise<Answer> {
      return by.delete('/customers/{id}', { path: { id }, query });
    },
  };
}
