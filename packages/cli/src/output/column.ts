/** A column of tables and of CSV. */
export interface Column<T = object> {
  name: string;
  /** Its value; default: the member of that name. */
  of?: (item: T) => unknown;
  /** Shown in CSV alone: tables have no room for it. */
  csvOnly?: true;
}

/** Columns of members, by name. */
export function members(...names: string[]): Column[] {
  return names.map((name) => ({ name }));
}

/** The text of a cell: a text as it is, anything else as JSON; null is empty. */
export function cellText(column: Column, item: object): string {
  const value = column.of ? column.of(item) : (item as Record<string, unknown>)[column.name];
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
