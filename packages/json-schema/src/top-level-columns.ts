/** A top-level member of `data`, as a column of an analyst's view or of an exported file. */
interface SchemaColumn {
  member: string;
  type: 'text' | 'integer' | 'number' | 'boolean' | 'time' | 'json';
}

/** Maximum number of columns for top-level members; further members are only in the column `data`. */
const mostColumns = 200;

/**
 * Returns a column for each of the first 200 members in the schema's `properties`, in their order. A member that may be
 * of several types has a JSON column.
 */
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
