/** A parameter of an operation in an OpenAPI document. */
export interface DocumentedParameter {
  in: string;
  required?: boolean;
  description?: string;
  schema?: object;
}

/**
 * Moves the example of an optional parameter from its schema into its description. Swagger UI fills in examples and
 * sends them, so "Try it out" would use every filter at once and find nothing.
 */
export function withoutPrefilling(parameter: DocumentedParameter): DocumentedParameter {
  const { example, ...schema } = (parameter.schema ?? {}) as { example?: unknown };
  if (parameter.required || example === undefined) return parameter;
  const texts = (Array.isArray(example) ? example : [example]).map((one) => `\`${String(one)}\``);
  return {
    ...parameter,
    description: `${parameter.description ?? ''} For example ${texts.join(', ')}.`,
    schema,
  };
}
