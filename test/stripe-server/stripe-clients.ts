/** The official SDK on a server of a test. */
import Stripe from 'stripe';
import { onTestFinished } from 'vitest';
import { type StripeServer, type StripeServerOptions, startStripeServer } from './index.ts';

/** Ends with the test, which fails where something did not hold to the published document. */
export async function serverOfTest(options: StripeServerOptions = {}): Promise<StripeServer> {
  const server = await startStripeServer(options);
  onTestFinished(() => server.close());
  return server;
}

export function clientOf(
  server: Pick<StripeServer, 'url' | 'secretKey'>,
  apiKey = server.secretKey,
  config: Stripe.StripeConfig = {},
): Stripe {
  const { hostname, port } = new URL(server.url);
  return new Stripe(apiKey, {
    host: hostname,
    port: Number(port),
    protocol: 'http',
    maxNetworkRetries: 0,
    telemetry: false,
    ...config,
  });
}

/** What a refused call throws. */
export async function refusalOf(call: Promise<unknown>): Promise<Stripe.errors.StripeError> {
  const outcome: unknown = await call.then(
    () => new Error('It was not refused'),
    (error: unknown) => error,
  );
  if (outcome instanceof Stripe.errors.StripeError) return outcome;
  throw outcome;
}
