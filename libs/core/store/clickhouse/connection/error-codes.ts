import {
  QueryTooExpensiveError,
  QueryTooSlowError,
  NonRetryableStoreError,
  RowsRejectedError,
  StoreUnavailableError,
} from '../../errors.js';

/**
 * The purpose of a request: the same error code can have different consequences. `write` inserts or removes
 * rows. `read` answers a caller's query. `lookup` reads stored data so that a write can continue; a lookup
 * cannot be narrowed, so it is retried.
 */
export type RequestPurpose = 'write' | 'read' | 'lookup';

/**
 * ClickHouse's codes for rows that are themselves invalid: sending them again cannot succeed. The codes for a
 * truncated request body (3, 4, 32, 33: end of file, cannot read all data) are not included.
 */
const rejectedRowsCodes = new Set([
  6, // CANNOT_PARSE_TEXT
  25, // CANNOT_PARSE_ESCAPE_SEQUENCE
  26, // CANNOT_PARSE_QUOTED_STRING
  27, // CANNOT_PARSE_INPUT_ASSERTION_FAILED
  38, // CANNOT_PARSE_DATE
  41, // CANNOT_PARSE_DATETIME
  53, // TYPE_MISMATCH
  69, // ARGUMENT_OUT_OF_BOUND
  70, // CANNOT_CONVERT_TYPE
  72, // CANNOT_PARSE_NUMBER
  117, // INCORRECT_DATA
  128, // TOO_LARGE_ARRAY_SIZE
  131, // TOO_LARGE_STRING_SIZE
  321, // VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE
  349, // CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN
  376, // CANNOT_PARSE_UUID
  407, // DECIMAL_OVERFLOW
  441, // CANNOT_PARSE_DOMAIN_VALUE_FROM_STRING
  467, // CANNOT_PARSE_BOOL
  469, // VIOLATED_CONSTRAINT
  565, // TOO_MANY_PARTITIONS: the rows were ingested in too many different months
  632, // UNEXPECTED_DATA_AFTER_PARSED_VALUE
  760, // UNICODE_ERROR
]);

/** ClickHouse's error codes for a query that exceeded its time limit, or would by ClickHouse's estimate. */
const timeLimitCodes = new Set([
  159, // TIMEOUT_EXCEEDED
  160, // TOO_SLOW
]);

/** ClickHouse's error codes for a query that exceeded one of its limits other than time. */
const queryLimitCodes = new Set([
  158, // TOO_MANY_ROWS
  191, // SET_SIZE_LIMIT_EXCEEDED
  241, // MEMORY_LIMIT_EXCEEDED
  290, // LIMIT_EXCEEDED
  307, // TOO_MANY_BYTES
  396, // TOO_MANY_ROWS_OR_BYTES
]);

/** ClickHouse's error codes for wrong credentials or missing privileges, whatever the statement. */
const accessCodes = new Set([
  192, // UNKNOWN_USER
  193, // WRONG_PASSWORD
  194, // REQUIRED_PASSWORD
  497, // ACCESS_DENIED
  516, // AUTHENTICATION_FAILED
]);

/** ClickHouse's error codes for a statement that does not match the server's version or its tables. */
const unsupportedStatementCodes = new Set([
  16, // NO_SUCH_COLUMN_IN_TABLE
  36, // BAD_ARGUMENTS
  42, // NUMBER_OF_ARGUMENTS_DOESNT_MATCH
  43, // ILLEGAL_TYPE_OF_ARGUMENT
  46, // UNKNOWN_FUNCTION
  47, // UNKNOWN_IDENTIFIER
  48, // NOT_IMPLEMENTED
  62, // SYNTAX_ERROR, also a statement that is too long
  115, // UNKNOWN_SETTING
  456, // UNKNOWN_QUERY_PARAMETER
  457, // BAD_QUERY_PARAMETER
]);
/**
 * The code for an unknown table. A table can be missing briefly during a repair, so a write reports a
 * retryable error; a lookup reports a NonRetryableStoreError.
 */
const unknownTableCode = 60;

/** ClickHouse's error code for a regular expression that RE2 does not accept. */
export const invalidPatternCode = 427; // CANNOT_COMPILE_REGEXP

/**
 * Returns the store's error for a ClickHouse error code. A code that is in no list (server down, read-only,
 * too many parts, disk full, Keeper lost, codes of later versions) is retryable.
 */
export function storeErrorOfCode(code: number, purpose: RequestPurpose, cause: Error): Error {
  const message = `ClickHouse answered with error ${code}: ${firstLine(cause.message)}`;
  if (purpose === 'read' && timeLimitCodes.has(code)) return new QueryTooSlowError(message, { cause });
  if (purpose === 'read' && queryLimitCodes.has(code)) return new QueryTooExpensiveError(message, { cause });
  if (purpose === 'write' && rejectedRowsCodes.has(code)) return new RowsRejectedError(message, { cause });
  if (isNonRetryable(code, purpose)) return new NonRetryableStoreError(message, { cause });
  return new StoreUnavailableError(message, { cause });
}

function isNonRetryable(code: number, purpose: RequestPurpose): boolean {
  if (accessCodes.has(code)) return true;
  if (code === unknownTableCode) return purpose === 'lookup';
  return purpose !== 'read' && unsupportedStatementCodes.has(code);
}

function firstLine(text: string): string {
  return (text.split('\n', 1)[0] ?? '').slice(0, 500);
}
