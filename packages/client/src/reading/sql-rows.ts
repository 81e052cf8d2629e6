import { SqlError, InvalidAnswerError } from '../errors/tributary-error.js';
import { elementsOf, parseJson } from '../json/json-text.js';
import type { JsonObject } from '../types/index.js';

/** The maximum length of an error message; ClickHouse's own limit is 16 KiB. */
const mostFailureLength = 20_000;

/** A row in the answer to an SQL statement. */
export class SqlRow<Row = JsonObject> {
  private parsed: Row | undefined;

  constructor(
    private readonly columns: readonly string[],
    /** The values as JSON text, in the order of the columns, with every digit. */
    readonly texts: readonly string[],
  ) {}

  /** The row as an object, parsed on first access. Numbers are rounded to doubles; `rowText` has all digits. */
  get row(): Row {
    return (this.parsed ??= parseJson<Row>(this.rowText));
  }

  /** The row as JSON text of an object, with every digit. */
  get rowText(): string {
    const members = this.columns.map((name, i) => `${JSON.stringify(name)}:${this.texts[i]}`);
    return `{${members.join(',')}}`;
  }
}

/**
 * The answer to an SQL statement: `for await` reads its rows once, as they arrive. If the statement fails after its
 * first row, the iteration throws.
 */
export class SqlRows<Row = JsonObject> implements AsyncIterable<SqlRow<Row>> {
  private constructor(
    readonly columns: readonly string[],
    /** Why the rows may lack what the statement means, and what to write instead. */
    readonly warning: string | undefined,
    private readonly lines: AsyncGenerator<string, void, undefined>,
  ) {}

  /** Reads the first line, which contains the column names. @throws InvalidAnswerError */
  static async of<Row>(body: ReadableStream<Uint8Array>, warning?: string): Promise<SqlRows<Row>> {
    const lines = linesOf(body);
    try {
      const { value } = await lines.next();
      return new SqlRows(cellsOf(value ?? '').map(parseJson<string>), warning, lines);
    } catch (error) {
      await lines.return();
      throw error;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SqlRow<Row>, void, undefined> {
    for await (const line of this.lines) {
      if (!line.startsWith('[')) throw await lateFailure(line, this.lines);
      yield new SqlRow<Row>(this.columns, elementsOf(line));
    }
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
  throw new InvalidAnswerError(
    `The answer has no column names: leave FORMAT out of the statement. It begins with: ${line.slice(0, 200)}`,
  );
}

/** Reads the error that ClickHouse writes after the rows before it breaks off the answer. */
async function lateFailure(first: string, lines: AsyncIterable<string>): Promise<Error> {
  let text = first;
  try {
    for await (const line of lines) {
      text += `\n${line}`;
      if (text.length > mostFailureLength) break;
    }
  } catch {
    // The text so far says more than the error of the connection.
  }
  const [failure, code] = /Code: (\d+)\. DB::Exception: .*/.exec(text) ?? [];
  if (failure !== undefined) return new SqlError(200, Number(code), failure);
  return new InvalidAnswerError(`This is not a row: ${text.slice(0, 200)}`);
}

/** Yields the lines; leaving the loop cancels the request. @throws InvalidAnswerError if the last is cut off */
async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
      rest = lines.pop()!;
      yield* lines;
    }
    if (rest !== '') throw new InvalidAnswerError('The answer was cut off.');
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
