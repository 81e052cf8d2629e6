import { UntranslatableExpressionError } from '#cel';

/**
 * Error: ClickHouse did not answer, or cannot serve the request at the moment. A retry may succeed, except for its
 * subclass NonRetryableStoreError.
 */
export class StoreUnavailableError extends Error {
  override readonly name: string = 'StoreUnavailableError';
}

/**
 * Error: ClickHouse cannot serve the request, and a retry does not help. Examples: a wrong password, missing
 * privileges, a missing table, a statement that this version of ClickHouse does not understand. An operator must act.
 */
export class NonRetryableStoreError extends StoreUnavailableError {
  override readonly name: string = 'NonRetryableStoreError';
}

/**
 * Error: ClickHouse found files of a part of a table damaged or missing. Requests that need the part fail until an operator has
 * repaired it; others succeed. A retry succeeds after the repair.
 */
export class StoreDamagedError extends StoreUnavailableError {
  override readonly name = 'StoreDamagedError';
}

/** Error: a part of the expression whose quantiles a count estimates cannot be translated to ClickHouse SQL. */
export class UntranslatableValueError extends UntranslatableExpressionError {
  override readonly name = 'UntranslatableValueError';
}

/** Error: a server of the ClickHouse cluster does not answer, and the request needs its rows. A retry may succeed. */
export class ShardUnavailableError extends StoreUnavailableError {
  override readonly name = 'ShardUnavailableError';

  /** @param shards Numbers of the shards that do not answer, from 1; empty if they are not known. */
  constructor(
    message: string,
    options: ErrorOptions,
    readonly shards: readonly number[] = [],
  ) {
    super(message, options);
  }
}

/**
 * Error: this process stopped reading an answer of ClickHouse because all answers in its memory exceed the byte budget.
 * A retry may succeed.
 */
export class AnswerMemoryExhaustedError extends StoreUnavailableError {
  override readonly name = 'AnswerMemoryExhaustedError';
}

/** Error: ClickHouse rejects the inserted rows because of their content; a retry with the same rows cannot succeed. */
export class RowsRejectedError extends Error {
  override readonly name = 'RowsRejectedError';
}

/** Error: a query exceeded one of its limits in ClickHouse (time, rows read, memory, size of the answer). */
export class QueryTooExpensiveError extends Error {
  override readonly name: string = 'QueryTooExpensiveError';
}

/** Error: a query exceeded its time limit in ClickHouse. Each further attempt can take as long. */
export class QueryTooSlowError extends QueryTooExpensiveError {
  override readonly name = 'QueryTooSlowError';
}

/**
 * Error: the cursor of a request is malformed, was modified, or belongs to a query with other filters or another order.
 */
export class InvalidCursorError extends Error {
  override readonly name = 'InvalidCursorError';
}

/** Returns true when a retry of the failed operation may succeed. */
export function isRetryableStoreError(error: unknown): error is StoreUnavailableError {
  return error instanceof StoreUnavailableError && !(error instanceof NonRetryableStoreError);
}
