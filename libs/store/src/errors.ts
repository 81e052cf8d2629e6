/** The store did not answer, or cannot accept writes at the moment. A retry may succeed. */
export class StoreUnavailableError extends Error {
  override readonly name: string = 'StoreUnavailableError';
}

/**
 * The store cannot serve the request, and a retry does not help. Examples: a wrong password, missing
 * privileges, a missing table, a statement that this version of the server does not understand. An operator
 * must act.
 */
export class NonRetryableStoreError extends StoreUnavailableError {
  override readonly name: string = 'NonRetryableStoreError';
}

/**
 * The store client stopped reading an answer because all answers in memory exceed the byte budget. A retry
 * may succeed.
 */
export class StoreOverloadedError extends StoreUnavailableError {
  override readonly name = 'StoreOverloadedError';
}

/** The store rejects these rows permanently. */
export class RowsRejectedError extends Error {
  override readonly name = 'RowsRejectedError';
}

/** The query exceeded one of its limits (time, rows read, memory, size of the answer). */
export class QueryTooExpensiveError extends Error {
  override readonly name: string = 'QueryTooExpensiveError';
}

/** The query exceeded its time limit. Each further attempt can take as long. */
export class QueryTooSlowError extends QueryTooExpensiveError {
  override readonly name = 'QueryTooSlowError';
}

/** The cursor is malformed, or belongs to a query with other filters. */
export class InvalidCursorError extends Error {
  override readonly name = 'InvalidCursorError';
}

/** Returns true when a retry of the failed operation may succeed. */
export function isRetryableStoreError(error: unknown): error is StoreUnavailableError {
  return error instanceof StoreUnavailableError && !(error instanceof NonRetryableStoreError);
}
