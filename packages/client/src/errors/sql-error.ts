import { TributaryError } from './tributary-error.js';

/** The server refused an SQL statement, or the statement failed. The error has the form of ClickHouse's errors. */
export class SqlError extends TributaryError {
  override readonly name = 'SqlError';

  constructor(
    /** The HTTP status. */
    readonly status: number,
    /** ClickHouse's error code: 62 is a syntax error, 497 a statement that is not allowed. */
    readonly code: number,
    text: string,
  ) {
    super(text.replace(/^Code: \d+\. DB::Exception: /, '').trimEnd());
  }
}
