/** What a keyword holds, and what the schemas in it are about. */
export interface Keyword {
  /** One schema, a list of schemas, or schemas by name. */
  holds?: 'schema' | 'list' | 'map';
  /** The same value as the schema itself, parts of that value, or nothing until they are referred to. */
  about?: 'itself' | 'parts' | 'nothing';
  /** Says something to people only: it refuses no value. */
  annotation?: true;
}

const annotation: Keyword = { annotation: true };
const assertion: Keyword = {};
const oneHere: Keyword = { holds: 'schema', about: 'itself' };
const listHere: Keyword = { holds: 'list', about: 'itself' };
const oneInside: Keyword = { holds: 'schema', about: 'parts' };

/** The keywords of JSON Schema 2020-12 that are understood here. Any other is refused: a misspelt one would refuse nothing. */
export const keywords: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
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

/** What to write instead of keywords of other versions of JSON Schema, of OpenAPI, and of those that are not supported. */
export const insteadOf: ReadonlyMap<string, string> = new Map([
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
  ['$vocabulary', 'It belongs into meta-schemas.'],
  ['unevaluatedItems', 'It is not supported. Use prefixItems and items.'],
]);

function entries(keyword: Keyword, names: string): [string, Keyword][] {
  return names.split(' ').map((name) => [name, keyword]);
}
