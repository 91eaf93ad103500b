/** Fastify routes whose zod schemas validate the input and type the handler. */
import type { FastifyInstance, FastifyTypeProvider } from 'fastify';
import type { z } from 'zod';

export interface ZodTypes extends FastifyTypeProvider {
  readonly validator: this['schema'] extends z.ZodType ? z.output<this['schema']> : unknown;
  readonly serializer: this['schema'] extends z.ZodType ? z.input<this['schema']> : unknown;
}

export function withZod(app: FastifyInstance) {
  app.setValidatorCompiler<z.ZodType>(({ schema }) => (input) => {
    const parsed = schema.safeParse(input);
    return parsed.success ? { value: parsed.data } : { error: parsed.error };
  });
  app.setSerializerCompiler<z.ZodType>(
    ({ schema }) =>
      (body) =>
        JSON.stringify(schema.parse(body)),
  );
  return app.withTypeProvider<ZodTypes>();
}
