/** What a keyword means: which schemas it contains, what they apply to, and whether it can reject a value. */
export interface SchemaKeyword {
  /** The value is one schema, a list of schemas, or schemas by name; undefined if it contains none. */
  holds?: 'schema' | 'list' | 'map';
  /** The contained schemas apply to the same value, to its members or items, or only by reference. */
  about?: 'itself' | 'parts' | 'nothing';
  /** True if the keyword is only documentation and never rejects a value. */
  annotation?: true;
}

const annotation: SchemaKeyword = { annotation: true };
const assertion: SchemaKeyword = {};
const oneHere: SchemaKeyword = { holds: 'schema', about: 'itself' };
const listHere: SchemaKeyword = { holds: 'list', about: 'itself' };
const oneInside: SchemaKeyword = { holds: 'schema', about: 'parts' };

/** The supported keywords. Others are rejected: a misspelt keyword would silently check nothing. */
export const keywords: ReadonlyMap<string, SchemaKeyword> = new Map<string, SchemaKeyword>([
  ...entries(annotation, '$schema $id $comment title description default examples deprecated'),
  ...entries(annotation, 'readOnly writeOnly contentEncoding contentMediaType'),
  ['contentSchema', { holds: 'schema', about: 'nothing', annotation: true }],
  ...entries({ holds: 'map', about: 'nothing', annotation: true }, '$defs definitions'),
  ...entries(assertion, '$ref type enum const format required dependentRequired minProperties maxProperties'),
  ...entries(assertion, 'multipleOf minimum maximum exclusiveMinimum exclusiveMaximum'),
  ...entries(assertion, 'minLength maxLength pattern minItems maxItems uniqueItems'),
  ['$anchor', annotation],
  ...entries(assertion, 'minContains maxContains'),
  ...entries(listHere, 'allOf anyOf oneOf'),
  ...entries(oneHere, 'not if then else'),
  ['dependentSchemas', { holds: 'map', about: 'itself' }],
  ...entries({ holds: 'map', about: 'parts' }, 'properties patternProperties'),
  ...entries(oneInside, 'additionalProperties unevaluatedProperties propertyNames'),
  ...entries(oneInside, 'items contains'),
  ['prefixItems', { holds: 'list', about: 'parts' }],
]);

/** What to write instead of keywords of other JSON Schema versions, of OpenAPI, and of unsupported keywords. */
export const suggestions: ReadonlyMap<string, string> = new Map([
  ['additionalItems', 'Use prefixItems and items.'],
  ['dependencies', 'Use dependentRequired or dependentSchemas.'],
  ['nullable', 'Use "type": ["…", "null"].'],
  ['example', 'Use examples, a list.'],
  ['discriminator', 'Use oneOf whose branches each require a const.'],
  ['id', 'Use $id.'],
  ['$recursiveRef', 'Use $ref.'],
  ['$recursiveAnchor', 'Use $anchor and $ref.'],
  ['$dynamicRef', 'It is not supported. Use $ref.'],
  ['$dynamicAnchor', 'It is not supported. Use $anchor and $ref.'],
  ['$vocabulary', 'It is allowed only in meta-schemas.'],
  ['unevaluatedItems', 'It is not supported. Use prefixItems and items.'],
]);

function entries(keyword: SchemaKeyword, names: string): [string, SchemaKeyword][] {
  return names.split(' ').map((name) => [name, keyword]);
}
