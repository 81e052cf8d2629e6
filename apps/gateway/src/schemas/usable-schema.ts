import { compileSchema } from '#schemas';

/**
 * The schema of a body `{"schema": …}`, exactly as it was sent, once it is known that events can be checked by it.
 * @throws ProblemError 400 `invalid_schema` that names each place that is wrong
 */
export function usableSchema(body: unknown): unknown {
  const { schema } = body as { schema: unknown };
  compileSchema(schema);
  return schema;
}
