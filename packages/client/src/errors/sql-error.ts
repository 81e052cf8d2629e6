import { TributaryError } from './tributary-error.js';

/** The server has refused a SQL statement, or the statement failed: in the form of ClickHouse's own errors. */
export class SqlError extends TributaryError {
  override readonly name = 'SqlError';

  constructor(
    /** The status of HTTP. */
    readonly status: number,
    /** ClickHouse's number: 62 is a syntax error, 497 a statement that is not allowed. */
    readonly code: number,
    text: string,
  ) {
    super(text.replace(/^Code: \d+\. DB::Exception: /, '').trimEnd());
  }
}
