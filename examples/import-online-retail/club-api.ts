/** The HTTP calls of the club, with a test key. */
import { type CounterfoilClient, createClient } from '@counterfoil/client';

export interface Access {
  readonly baseUrl: string;
  readonly tenantId: number;
  readonly apiKey: string;
}

export interface ClubApi {
  readonly client: CounterfoilClient;
  /** The caller, as in every Customer Service body. */
  readonly claims: { readonly parentCompanyId: number; readonly userEmail: string };
}

const USER_EMAIL = 'club@online-retail.example';

export function openClubApi({ baseUrl, tenantId, apiKey }: Access): ClubApi {
  return {
    client: createClient({ baseUrl, apiKey, clientId: tenantId, userEmail: USER_EMAIL }),
    claims: { parentCompanyId: tenantId, userEmail: USER_EMAIL },
  };
}

/** What a call has answered; throws where it was refused. */
export async function answerOf<Data>(
  call: Promise<{ readonly data?: Data; readonly error?: unknown; readonly response: Response }>,
): Promise<Data> {
  const { data, error, response } = await call;
  if (data !== undefined) return data;
  throw new Error(`${response.url}: ${response.status} ${JSON.stringify(error)}`);
}

/** The header of a named call: a repeated one gets the first answer. */
export function named(name: string) {
  return { header: { 'Idempotency-Key': name } };
}
