import { escapedSize } from './split-by-size.js';
import { TupleParam, type ParameterizedSql } from './sql-params.js';

/**
 * Maximum bytes of a parameter. ClickHouse refuses a field of a form that is longer than 128 KiB (`http_max_field_value_size`,
 * which only the default profile of the server can change), and the client sends long parameters as fields of a form.
 */
const fieldBytes = 120 * 1024;

/**
 * Returns the statement with each list that is too long for one parameter in several ones: `{ids:Array(UUID)}` becomes
 * `arrayConcat({ids_0:Array(UUID)},{ids_1:Array(UUID)})`, which ClickHouse evaluates once.
 */
export function withShortFields({ query, params }: ParameterizedSql): ParameterizedSql {
  const long = Object.entries(params).filter(
    (entry): entry is [string, unknown[]] => Array.isArray(entry[1]) && sizeOf(entry[1]) > fieldBytes,
  );
  if (long.length === 0) return { query, params };
  const all = { ...params };
  let sql = query;
  for (const [name, list] of long) {
    const names = splitList(list).map((some, i) => {
      if (`${name}_${i}` in params) throw new Error(`the parameter ${name}_${i} exists already`);
      all[`${name}_${i}`] = some;
      return `${name}_${i}`;
    });
    delete all[name];
    sql = sql.replaceAll(new RegExp(`\\{${name}:([^}]+)\\}`, 'g'), (_, type: string) => {
      return `arrayConcat(${names.map((one) => `{${one}:${type}}`).join()})`;
    });
  }
  return { query: sql, params: all };
}

function splitList(list: readonly unknown[]): unknown[][] {
  const lists: unknown[][] = [];
  let bytes = Infinity;
  for (const item of list) {
    const size = sizeOf(item) + 1;
    if (bytes + size > fieldBytes) {
      lists.push([]);
      bytes = 2;
    }
    lists.at(-1)!.push(item);
    bytes += size;
  }
  return lists;
}

/** Returns the bytes of a value as the client sends it, or a little more. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return escapedSize(value) + 2;
  if (value instanceof TupleParam) return sizeOf(value.values);
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + sizeOf(item) + 1, 2);
  return String(value).length;
}
