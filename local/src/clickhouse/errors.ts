/** ClickHouse's error codes that this server raises or distinguishes. */
export const code = {
  notImplemented: 48,
  timeoutExceeded: 159,
  readonly: 164,
  tooManySimultaneousQueries: 202,
  unknownSetting: 115,
  aborted: 236,
  tooManyBytes: 307,
  unknownQueryParameter: 456,
  accessDenied: 497,
  unknownException: 1002,
} as const;

/**
 * An error with which the local ClickHouse server answers a request, thrown by this server or converted from an error
 * of the engine: ClickHouse's number (`code`) and name (`symbol`). `message` is the text between `DB::Exception: ` and
 * ` (NAME)`.
 */
export class LocalClickHouseRequestError extends Error {
  override readonly name = 'LocalClickHouseRequestError';
  constructor(
    readonly code: number,
    readonly symbol: string,
    message: string,
  ) {
    super(message);
  }
}

/**
 * An error that the engine throws: `Code: 62. DB::Exception: Syntax error: ... (SYNTAX_ERROR)`, possibly wrapped in
 * another one.
 */
const engineForm =
  /^(?:Code: \d+\. DB::Exception: )*Code: (\d+)\. DB::Exception: ([\s\S]*?)\(([A-Z][A-Z0-9_]{2,})\)(?: \(version [^)]*\))?/;

/**
 * Converts any thrown value to a `LocalClickHouseRequestError`. Removes the path of the temporary file with the inserted rows
 * from the message.
 */
export function toException(error: unknown): LocalClickHouseRequestError {
  if (error instanceof LocalClickHouseRequestError) return error;
  const text = error instanceof Error ? error.message : String(error);
  const match = engineForm.exec(text);
  if (!match) return new LocalClickHouseRequestError(code.unknownException, 'UNKNOWN_EXCEPTION', text);
  const [, number, message = '', symbol = 'UNKNOWN_EXCEPTION'] = match;
  const shown = message.trimEnd().replace(/: \(in file\/uri [^()]*\)|: While executing File/g, '');
  return new LocalClickHouseRequestError(Number(number), symbol, shown);
}

/** Returns the body of the error response. */
export function describeException(error: LocalClickHouseRequestError, version: string): string {
  return `Code: ${error.code}. DB::Exception: ${error.message} (${error.symbol}) (version ${version} (chdb))\n`;
}

// The lists of error codes by HTTP status are copied from ClickHouse's HTTPHandler (exceptionCodeToHTTPStatus).
const badRequest = new Set([
  6, 26, 27, 36, 38, 41, 42, 43, 44, 45, 52, 53, 62, 69, 70, 72, 117, 130, 161, 168, 181, 184, 215, 349, 456,
  457,
]);
const notFound = new Set([16, 46, 47, 50, 56, 60, 63, 73, 78, 81, 82, 83, 111, 115, 336]);
const others = new Map<number, number>([
  [code.accessDenied, 403],
  [code.notImplemented, 501],
  [code.timeoutExceeded, 408],
  [code.tooManySimultaneousQueries, 503],
  [code.aborted, 503],
  [code.tooManyBytes, 413],
]);

/** Returns the HTTP status that ClickHouse's server chooses for an exception. */
export function httpStatus(error: LocalClickHouseRequestError): number {
  if (badRequest.has(error.code)) return 400;
  if (notFound.has(error.code)) return 404;
  return others.get(error.code) ?? 500;
}
