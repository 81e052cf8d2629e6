/** What an operation of an OpenAPI document says about one parameter. */
export interface DocumentedParameter {
  in: string;
  required?: boolean;
  description?: string;
  schema?: object;
}

/**
 * Moves the example of a parameter that may be left out from its schema into its description. Swagger UI fills examples in and
 * sends them: a trial of such an address would ask with every filter at once, and find nothing.
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
