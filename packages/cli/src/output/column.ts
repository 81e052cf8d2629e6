/** A column of tables and of CSV. */
export interface Column<T = object> {
  name: string;
  /** Returns the value; default: the member with the column's name. */
  of?: (item: T) => unknown;
  /** The column is only in CSV: tables have no room for it. */
  csvOnly?: true;
}

/** Returns a column for each of these members. */
export function members(...names: string[]): Column[] {
  return names.map((name) => ({ name }));
}

/** Returns the text of a cell: a text unchanged, null as an empty text, other values as JSON. */
export function cellText(column: Column, item: object): string {
  const value = column.of ? column.of(item) : (item as Record<string, unknown>)[column.name];
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
