/** Values that the sentence about a validation error contains, by name, such as the violated limit. */
export type ErrorParams = Readonly<Record<string, unknown>>;

/** Returns the sentence that says which rule of a JSON Schema keyword a value violates, such as `must be one of …`. */
export function errorSentence(keyword: string, params: ErrorParams): string {
  return sentences[keyword]?.(params) ?? 'is not valid';
}

const sentences: Readonly<Record<string, (params: ErrorParams) => string>> = {
  type: ({ type }) => `must be ${[type].flat().join(' or ')}`,
  required: () => 'is required',
  dependentRequired: ({ property }) => `is required when ${quoted(property)} is present`,
  additionalProperties: () => 'is not a property that the schema allows',
  unevaluatedProperties: () => 'is not a property that the schema allows',
  'false schema': () => 'is not allowed by the schema',
  enum: ({ allowedValues }) => `must be one of ${listed(allowedValues)}`,
  const: ({ allowedValue }) => `must be ${quoted(allowedValue)}`,
  pattern: ({ pattern }) => `must match the pattern ${quoted(pattern)}`,
  format: ({ format }) => `must be a valid ${String(format)}`,
  minimum: ({ limit }) => `must be ${String(limit)} or more`,
  maximum: ({ limit }) => `must be ${String(limit)} or less`,
  exclusiveMinimum: ({ limit }) => `must be more than ${String(limit)}`,
  exclusiveMaximum: ({ limit }) => `must be less than ${String(limit)}`,
  multipleOf: ({ multipleOf }) => `must be a multiple of ${String(multipleOf)}`,
  minLength: ({ limit }) => `must have ${counted(limit, 'character')} or more`,
  maxLength: ({ limit }) => `must have ${counted(limit, 'character')} or less`,
  minItems: ({ limit }) => `must have ${counted(limit, 'item')} or more`,
  maxItems: ({ limit }) => `must have ${counted(limit, 'item')} or less`,
  items: ({ limit }) => `must have ${counted(limit, 'item')} or less`,
  uniqueItems: () => 'must not contain the same item twice',
  contains: ({ minContains, maxContains }) =>
    `must contain ${maxContains === undefined ? `${counted(minContains, 'item')} or more` : `${String(minContains)} to ${counted(maxContains, 'item')}`} that fit "contains"`,
  minProperties: ({ limit }) => `must have ${counted(limit, 'property', 'properties')} or more`,
  maxProperties: ({ limit }) => `must have ${counted(limit, 'property', 'properties')} or less`,
  anyOf: () => 'fits none of the alternatives (anyOf)',
  oneOf: ({ passingSchemas }) =>
    passingSchemas
      ? 'fits more than one of the alternatives (oneOf)'
      : 'fits none of the alternatives (oneOf)',
  not: () => 'fits what the schema excludes (not)',
};

function counted(count: unknown, one: string, many = `${one}s`): string {
  return `${String(count)} ${count === 1 ? one : many}`;
}

function listed(values: unknown): string {
  const all = Array.isArray(values) ? values : [];
  const some = all.slice(0, 10).map(quoted).join(', ');
  return all.length > 10 ? `${some}, … (${all.length} values)` : some;
}

function quoted(value: unknown): string {
  return shortened(JSON.stringify(value) ?? 'undefined', 100);
}

/** Returns a text shortened to at most `most` characters, with `…` if characters were removed. */
export function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
