/** Serves the OpenAPI document. */
import { z } from 'zod';
import { type Endpoint, endpoint } from './endpoint.ts';
import type { OpenApiDocument } from './openapi.ts';
import { NOT_MODIFIED, StaticText } from './static-text.ts';

/**
 * The endpoint that serves the document of all endpoints. The document includes this endpoint, so
 * it is passed as a function.
 */
export function openApiEndpoint(
  document: () => OpenApiDocument | Promise<OpenApiDocument>,
): Endpoint {
  let text: StaticText | undefined;
  return endpoint({
    operationId: 'getOpenApi',
    method: 'GET',
    path: '/openapi.json',
    tag: 'Operations',
    summary: 'This interface as an OpenAPI document',
    description: 'OpenAPI 3.1, made from the same schemas that check the requests.',
    access: { kind: 'public' },
    responses: {
      200: {
        description: 'The document',
        schema: z.looseObject({ openapi: z.string() }).meta({ id: 'OpenApiDocument' }),
      },
      304: NOT_MODIFIED,
    },
    rejections: [],
    idempotency: 'none',
    version: 'cached',
    handle: async (context) => {
      text ??= new StaticText(JSON.stringify(await document()));
      return text.answer(context);
    },
  });
}
