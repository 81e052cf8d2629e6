import type { RowBinaryWriter } from '../row-batch/row-binary.js';

/**
 * How a value of a column is written in ClickHouse's RowBinary format, and with which SQL a SELECT reads the column.
 */
interface ColumnType<Value> {
  write(out: RowBinaryWriter, value: Value): void;
  select(name: string): string;
}

const asItIs = (name: string): string => name;

const text: ColumnType<string> = { write: (out, value) => out.string(value), select: asItIs };
const uint16: ColumnType<number> = { write: (out, value) => out.uint16(value), select: asItIs };
const int64: ColumnType<number> = { write: (out, value) => out.int64(value), select: asItIs };
const time: ColumnType<number> = { ...int64, select: (name) => `toUnixTimestamp64Micro(${name})` };

/** Types of ClickHouse columns. A time is in microseconds since 1970. */
export const columnTypes = { text, uint16, int64, time };

type Columns<Row> = { readonly [Name in keyof Row & string]: ColumnType<Row[Name]> };

/**
 * Some columns of a ClickHouse table in the order in which a SELECT returns them, and a reader for the returned rows.
 */
interface ColumnSelection<Row, Name extends keyof Row> {
  readonly sql: string;
  /** @param known Values of columns that are not selected, as far as the caller knows them. */
  read<Known extends Partial<Omit<Row, Name>>>(
    values: readonly unknown[],
    known: Known,
  ): Pick<Row, Name> & Known;
}

/**
 * Columns and types of a ClickHouse table. The SQL of its inserts, the lists of selected columns and the readers of
 * rows are derived from them.
 */
export class TableDefinition<Row extends object> {
  private readonly writers: [name: keyof Row & string, write: (out: RowBinaryWriter, value: never) => void][];

  constructor(
    readonly name: string,
    private readonly columns: Columns<Row>,
  ) {
    const entries = Object.entries(columns) as [keyof Row & string, ColumnType<never>][];
    this.writers = entries.map(([column, type]) => [column, (out, value) => type.write(out, value)]);
  }

  get insert(): string {
    return `INSERT INTO ${this.name} (${this.writers.map(([name]) => name).join(', ')}) FORMAT RowBinary`;
  }

  write(out: RowBinaryWriter, row: Row): void {
    for (const [name, write] of this.writers) write(out, row[name] as never);
  }

  select<Name extends keyof Row & string>(...names: Name[]): ColumnSelection<Row, Name> {
    return {
      sql: names.map((name) => this.columns[name].select(name)).join(', '),
      read: (values, known) => {
        const row: Record<string, unknown> = { ...known };
        names.forEach((name, i) => (row[name] = values[i]));
        return row as Pick<Row, Name> & typeof known;
      },
    };
  }
}
