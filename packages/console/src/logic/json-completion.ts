import { namesOf, positionIn, type JsonPosition } from './json-position.js';

/** The parts of a JSON Schema of the OpenAPI document that the completion reads. */
export interface DocumentedSchema {
  $ref?: string;
  type?: string | readonly string[];
  description?: string;
  properties?: Readonly<Record<string, DocumentedSchema>>;
  additionalProperties?: boolean | DocumentedSchema;
  items?: DocumentedSchema;
  enum?: readonly unknown[];
}

/** The OpenAPI document of a gateway. */
export interface OpenApiDocument {
  components: { schemas: Readonly<Record<string, DocumentedSchema>> };
}

/** Names of resources of the system, by the kind that a definition refers to. */
export interface ResourceNames {
  streams: readonly string[];
  projections: readonly string[];
}

/** A completion of a name or a value. */
export interface JsonCompletion {
  label: string;
  /** What the text of a new member ends with, such as `{}`. */
  value?: string;
  info?: string;
}

export type CompletionsAt = (text: string, cursor: number) => JsonCompletions | undefined;

/** Completions for what is typed at a position. */
export interface JsonCompletions extends Pick<JsonPosition, 'from' | 'isName' | 'isQuoted'> {
  options: readonly JsonCompletion[];
}

/** Returns how JSON of a schema of an OpenAPI document is completed: by names of members, values and resources. */
export function completionsOf(
  document: OpenApiDocument,
  schemaName: string,
  resources: ResourceNames,
): CompletionsAt {
  const root = documented(document, schemaName);
  return (text, cursor) => {
    const position = positionIn(text, cursor);
    if (!position) return undefined;
    const schema = schemaAt(document, root, position.path);
    const options = position.isName
      ? membersOf(document, schema, position.names)
      : valuesAt(position.path, schema, resources);
    return { ...position, options };
  };
}

function documented({ components }: OpenApiDocument, name: string): DocumentedSchema {
  return components.schemas[name] ?? {};
}

function resolved(document: OpenApiDocument, schema: DocumentedSchema = {}): DocumentedSchema {
  if (schema.$ref === undefined) return schema;
  return documented(document, namesOf(schema.$ref).at(-1)!);
}

function schemaAt(
  document: OpenApiDocument,
  root: DocumentedSchema,
  path: readonly string[],
): DocumentedSchema {
  let schema = root;
  for (const name of path) {
    const { items, properties, additionalProperties } = schema;
    const others = typeof additionalProperties === 'object' ? additionalProperties : undefined;
    schema = resolved(document, items ?? properties?.[name] ?? others);
    if (name === 'operators') schema = operatorsOf(document, schema);
  }
  return schema;
}

/** An operator in the description of the member `operators`, as "- `filter`: a condition; …". */
const operatorLine = /^- `(\w+)`: (.*)$/gm;

/** Returns the schema of a list of operators, whose members the document describes in words. */
function operatorsOf(document: OpenApiDocument, { description = '' }: DocumentedSchema): DocumentedSchema {
  const fields = documented(document, 'ProjectionInput').properties?.['fields'];
  const operatorOf = (name: string, summary: string): DocumentedSchema => {
    const described = { description: summary };
    if (name === 'reduce') return { ...described, ...fields };
    const properties = Object.fromEntries(
      membersIn(/^[^{;.]*\{[^}]*\}/.exec(summary)?.[0] ?? '').map((member) => [member, {}] as const),
    );
    for (const [, member = '', forms = ''] of summary.matchAll(/`(\w+)` is ((?:`\{\w+\}`(?: or )?)+)/g))
      properties[member] = { properties: Object.fromEntries(membersIn(forms).map((one) => [one, {}])) };
    if (properties['with']) properties['with'] = { $ref: '#/components/schemas/ProjectionSourceInput' };
    if ('operators' in properties)
      return { ...described, items: { properties: { ...properties, operators: { description } } } };
    return Object.keys(properties).length > 0 ? { ...described, properties } : described;
  };
  const operators = [...description.matchAll(operatorLine)];
  const properties = Object.fromEntries(
    operators.map(([, name = '', summary = '']) => [name, operatorOf(name, summary)]),
  );
  return { items: { properties } };
}

/** Returns the names in `{key, within?}` or `{a | b, c}`. */
function membersIn(text: string): string[] {
  const lists = [...text.matchAll(/\{([^}]*)\}/g)].map(([, list = '']) => list.split(/[,|]/));
  return lists.flat().map((name) => name.trim().replace('?', ''));
}

function membersOf(
  document: OpenApiDocument,
  { properties = {} }: DocumentedSchema,
  known: readonly string[],
): JsonCompletion[] {
  return Object.entries(properties)
    .filter(([name]) => !known.includes(name))
    .map(([label, member]) => {
      const schema = resolved(document, member);
      return { label, value: emptyValue(schema), info: member.description ?? schema.description };
    });
}

/** Returns what the value of a new member begins with. */
function emptyValue({ type, properties, items, additionalProperties }: DocumentedSchema): string {
  if (items || type?.includes('array')) return '[]';
  if (properties || typeof additionalProperties === 'object' || type === 'object') return '{}';
  return type === undefined || type.includes('string') ? '""' : '';
}

function valuesAt(
  path: readonly string[],
  schema: DocumentedSchema,
  { streams, projections }: ResourceNames,
): JsonCompletion[] {
  const [name, parent] = [path.at(-1), path.at(-2)];
  const resources =
    name === 'stream' || parent === 'streams' ? streams : name === 'projection' ? projections : [];
  const values = (schema.enum ?? []).filter((value) => typeof value === 'string');
  return [...values, ...resources].map((label) => ({ label }));
}
