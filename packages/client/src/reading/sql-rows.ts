import { InvalidAnswerError } from '../errors/tributary-error.js';
import { elementsOf } from '../json/json-text.js';
import { parseJson } from '../json/parse-json.js';
import type { JsonObject } from '../types/json.js';
import { linesOf } from './lines-of.js';

/** A row of the answer to a SQL statement. */
export class SqlRow<Row = JsonObject> {
  private parsed: Row | undefined;

  constructor(
    private readonly columns: readonly string[],
    /** The values as JSON text, in the order of the columns, with every digit. */
    readonly texts: readonly string[],
  ) {}

  /** Parsed when it is first asked for. Numbers become 64-bit floating point: `rowText` has them exactly. */
  get row(): Row {
    return (this.parsed ??= parseJson<Row>(this.rowText));
  }

  /** The row as a JSON object, with every digit. */
  get rowText(): string {
    const members = this.columns.map((name, i) => `${JSON.stringify(name)}:${this.texts[i]}`);
    return `{${members.join(',')}}`;
  }
}

/** The answer to a SQL statement: `for await` reads its rows once, as they come. */
export class SqlRows<Row = JsonObject> implements AsyncIterable<SqlRow<Row>> {
  private constructor(
    readonly columns: readonly string[],
    private readonly lines: AsyncGenerator<string, void, undefined>,
  ) {}

  /** Reads the names of the columns, which are the first line. @throws InvalidAnswerError */
  static async of<Row>(body: ReadableStream<Uint8Array>): Promise<SqlRows<Row>> {
    const lines = linesOf(body);
    try {
      const { value } = await lines.next();
      return new SqlRows(cellsOf(value ?? '').map(parseJson<string>), lines);
    } catch (error) {
      await lines.return();
      throw error;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SqlRow<Row>, void, undefined> {
    for await (const line of this.lines) yield new SqlRow<Row>(this.columns, cellsOf(line));
  }

  /** Reads all rows. */
  async all(): Promise<Row[]> {
    const rows: Row[] = [];
    for await (const { row } of this) rows.push(row);
    return rows;
  }
}

function cellsOf(line: string): string[] {
  if (line.startsWith('[')) return elementsOf(line);
  throw new InvalidAnswerError(`This is no row; leave FORMAT out of the statement: ${line.slice(0, 200)}`);
}
