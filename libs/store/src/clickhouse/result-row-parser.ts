import { extractErrorAtTheEndOfChunk } from '@clickhouse/client';

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * Parses an answer in the format JSONCompactEachRow (one JSON array on each line) while its chunks arrive. All complete
 * lines of a chunk are parsed together, which costs less than one by one.
 *
 * ClickHouse reports an error that occurs after the first rows at the end of the answer, as
 * `\r\n__exception__\r\n<tag>\r\n<message>\n<length> <tag>\r\n__exception__\r\n`; the tag is in a header. JSON escapes a
 * carriage return within a text, so the first one is the beginning of the error.
 */
export class ResultRowParser<Row> {
  private readonly rows: Row[] = [];
  /** Bytes after the last line break; after the beginning of an error, the bytes of the error. */
  private rest: Buffer[] = [];
  private isError = false;

  /** @param exceptionTag The header `X-ClickHouse-Exception-Tag`, which ClickHouse has sent since version 25.11. */
  constructor(private readonly exceptionTag: string | undefined) {}

  /** @throws SyntaxError when a line is not JSON */
  add(chunk: Buffer): void {
    const errorStart = this.isError || this.exceptionTag === undefined ? -1 : chunk.indexOf(carriageReturn);
    if (errorStart >= 0) {
      this.isError = true;
      this.rest = [];
    }
    if (this.isError) return void this.rest.push(chunk.subarray(Math.max(errorStart, 0)));
    const end = chunk.lastIndexOf(lineFeed);
    if (end < 0) return void this.rest.push(chunk);
    this.parse([...this.rest, chunk.subarray(0, end)]);
    this.rest = end + 1 < chunk.length ? [chunk.subarray(end + 1)] : [];
  }

  /** The error at the end of the answer, if ClickHouse has begun to send one. */
  get error(): Error | undefined {
    if (!this.isError) return undefined;
    return extractErrorAtTheEndOfChunk(Buffer.concat(this.rest), this.exceptionTag ?? '');
  }

  /**
   * Returns all rows of a complete answer.
   * @throws the error at the end of the answer; SyntaxError when the last line is not JSON
   */
  end(): Row[] {
    if (this.error) throw this.error;
    if (this.rest.length > 0) this.parse(this.rest);
    this.rest = [];
    return this.rows;
  }

  private parse(lines: readonly Buffer[]): void {
    const text = (lines.length === 1 ? (lines[0] as Buffer) : Buffer.concat(lines)).toString('utf8');
    for (const row of JSON.parse(`[${text.replaceAll('\n', ',')}]`) as Row[]) this.rows.push(row);
  }
}
