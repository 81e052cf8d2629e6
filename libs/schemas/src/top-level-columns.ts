/** A top-level member of the events of a schema, as a column of a table. */
export interface SchemaColumn {
  member: string;
  type: 'text' | 'integer' | 'number' | 'boolean' | 'time' | 'json';
}

/** Columns of one table at most; further members are in `data` alone. */
const mostColumns = 200;

/** The members that a schema names in `properties`, in its order. What may be of several types is JSON text. */
export function topLevelColumns(schema: unknown): SchemaColumn[] {
  const { properties } = asObject(schema);
  return Object.entries(asObject(properties))
    .slice(0, mostColumns)
    .map(([member, rule]) => ({ member, type: columnType(asObject(rule)) }));
}

function columnType({ type, format }: Record<string, unknown>): SchemaColumn['type'] {
  const types = [type].flat().filter((each) => each !== 'null');
  if (types.length !== 1) return 'json';
  if (types[0] === 'string') return format === 'date-time' ? 'time' : 'text';
  return types[0] === 'integer' || types[0] === 'number' || types[0] === 'boolean' ? types[0] : 'json';
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
