/** The store did not answer, or cannot take writes now. Repeating may help. */
export class StoreUnavailableError extends Error {
  override readonly name: string = 'StoreUnavailableError';
}

/**
 * The store cannot serve this, and repeating does not help: a wrong password, missing rights, a table that is gone, a
 * statement that this server does not understand. Somebody has to look at it.
 */
export class StoreFaultError extends StoreUnavailableError {
  override readonly name: string = 'StoreFaultError';
}

/** The answer was not read to its end: too many bytes of answers are held in memory already. Repeating may help. */
export class StoreOverloadedError extends StoreUnavailableError {
  override readonly name = 'StoreOverloadedError';
}

/** The store will never take these rows. */
export class StoreRefusedError extends Error {
  override readonly name = 'StoreRefusedError';
}

/** The query passed one of its bounds (time, rows, memory). */
export class QueryTooExpensiveError extends Error {
  override readonly name = 'QueryTooExpensiveError';
}

/** The cursor is broken or was made by a query with other filters. */
export class InvalidCursorError extends Error {
  override readonly name = 'InvalidCursorError';
}

/** Whether what failed with this error may succeed when it is repeated. */
export function storeMayReturn(error: unknown): error is StoreUnavailableError {
  return error instanceof StoreUnavailableError && !(error instanceof StoreFaultError);
}
