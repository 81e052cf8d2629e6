import {
  QueryTooExpensiveError,
  QueryTooSlowError,
  NonRetryableStoreError,
  RowsRejectedError,
  ShardUnavailableError,
  StoreDamagedError,
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

/** Names of ClickHouse's errors for a damaged part, by their code. ClickHouse uses none of them for anything else. */
export const damageCodes: ReadonlyMap<number, string> = new Map([
  [40, 'CHECKSUM_DOESNT_MATCH'],
  [226, 'NO_FILE_IN_DATA_PART'],
  [227, 'UNEXPECTED_FILE_IN_DATA_PART'],
  [228, 'BAD_SIZE_OF_FILE_IN_DATA_PART'],
  [231, 'TOO_MANY_UNEXPECTED_DATA_PARTS'],
  [246, 'CORRUPTED_DATA'],
  [271, 'CANNOT_DECOMPRESS'],
]);

/** ClickHouse's errors for a file or a body that cannot be read to its end: damage if the message names the part it read. */
const unreadableCodes: ReadonlyMap<number, string> = new Map([
  [3, 'UNEXPECTED_END_OF_FILE'],
  [4, 'EXPECTED_END_OF_FILE'],
  [32, 'ATTEMPT_TO_READ_AFTER_EOF'],
  [33, 'CANNOT_READ_ALL_DATA'],
  [74, 'CANNOT_READ_FROM_FILE_DESCRIPTOR'], // also a disk that reports an error
  [76, 'CANNOT_OPEN_FILE'],
  [107, 'FILE_DOESNT_EXIST'],
  [432, 'UNKNOWN_CODEC'],
  [1001, 'STD_EXCEPTION'], // also a missing file
]);

/** ClickHouse's errors for another server of the cluster that does not answer, or whose answer breaks off. */
const shardCodes = new Set([
  209, // SOCKET_TIMEOUT
  210, // NETWORK_ERROR
  279, // ALL_CONNECTION_TRIES_FAILED
  369, // ALL_REPLICAS_ARE_STALE
]);

/** ClickHouse's code for a removal of rows that failed; its type is the name of the cause. */
const failedMutationCode = 341; // UNFINISHED

/** Matches the name of a part in a message: after "part", or as a folder of a path. */
const namedPart = /(?:\bpart '?|\/)([0-9A-Za-z-]+_\d+_\d+_\d+(?:_\d+)?)(?=['/:. ]|$)/;
const namedTable = /\bin table \w+\.(\w+) /;

/** ClickHouse's error code for a regular expression that RE2 does not accept. */
export const invalidPatternCode = 427; // CANNOT_COMPILE_REGEXP

/** An error with the message of ClickHouse and the name of its innermost error. */
type ErrorOfClickHouse = Error & { type?: string | undefined };

/**
 * Returns the store's error for a ClickHouse error code. A code that is in no list (server down, read-only,
 * too many parts, disk full, Keeper lost, codes of later versions) is retryable.
 */
export function storeErrorOfCode(code: number, purpose: RequestPurpose, cause: ErrorOfClickHouse): Error {
  if (isDamage(code, cause)) return new StoreDamagedError(damage(code, cause.message), { cause });
  const message = `ClickHouse answered with error ${code}: ${firstLine(cause.message)}`;
  if (purpose === 'read' && timeLimitCodes.has(code)) return new QueryTooSlowError(message, { cause });
  if (purpose === 'read' && queryLimitCodes.has(code)) return new QueryTooExpensiveError(message, { cause });
  if (purpose === 'write' && rejectedRowsCodes.has(code)) return new RowsRejectedError(message, { cause });
  if (shardCodes.has(code)) return new ShardUnavailableError(message, { cause });
  if (isNonRetryable(code, purpose)) return new NonRetryableStoreError(message, { cause });
  return new StoreUnavailableError(message, { cause });
}

function isNonRetryable(code: number, purpose: RequestPurpose): boolean {
  if (accessCodes.has(code)) return true;
  if (code === unknownTableCode) return purpose === 'lookup';
  return purpose !== 'read' && unsupportedStatementCodes.has(code);
}

function isDamage(code: number, { message, type }: ErrorOfClickHouse): boolean {
  const among = (codes: ReadonlyMap<number, string>) =>
    codes.has(code) || (code === failedMutationCode && [...codes.values()].some((name) => name === type));
  return among(damageCodes) || (among(unreadableCodes) && namedPart.test(message));
}

/** Returns a message with the names of the part and the table, which ClickHouse names at the end of a long text. */
function damage(code: number, text: string): string {
  const [part, table] = [namedPart.exec(text)?.[1], namedTable.exec(text)?.[1]];
  const what = part ? `The part ${part}` : 'A part';
  const where = table ? ` of the table ${table}` : '';
  return `${what}${where} is damaged (error ${code} of ClickHouse): see docs/runbooks/TributaryStoreDamaged.md`;
}

function firstLine(text: string): string {
  return (text.split('\n', 1)[0] ?? '').slice(0, 500);
}
