import { describe, expect, it } from 'vitest';
import {
  QueryTooExpensiveError,
  QueryTooSlowError,
  NonRetryableStoreError,
  RowsRejectedError,
  StoreUnavailableError,
} from '../../errors.js';
import { storeErrorOfCode, type RequestPurpose } from './error-codes.js';

describe('storeErrorOfCode', () => {
  it.each<[string, number, RequestPurpose, new (...args: never[]) => Error]>([
    ['TOO_MANY_PARTS', 252, 'write', StoreUnavailableError],
    ['READONLY', 164, 'write', StoreUnavailableError],
    ['TABLE_IS_READ_ONLY', 242, 'write', StoreUnavailableError],
    ['NOT_ENOUGH_SPACE', 243, 'write', StoreUnavailableError],
    ['MEMORY_LIMIT_EXCEEDED', 241, 'write', StoreUnavailableError],
    ['TOO_MANY_SIMULTANEOUS_QUERIES', 202, 'write', StoreUnavailableError],
    ['TIMEOUT_EXCEEDED', 159, 'write', StoreUnavailableError],
    ['KEEPER_EXCEPTION', 999, 'write', StoreUnavailableError],
    ['CANNOT_READ_ALL_DATA, a body cut off', 33, 'write', StoreUnavailableError],
    ['UNKNOWN_TABLE, not migrated yet', 60, 'write', StoreUnavailableError],
    ['a code of a later version', 4711, 'write', StoreUnavailableError],
    ['CANNOT_PARSE_DATETIME', 41, 'write', RowsRejectedError],
    ['INCORRECT_DATA', 117, 'write', RowsRejectedError],
    ['TOO_LARGE_STRING_SIZE', 131, 'write', RowsRejectedError],
    ['VIOLATED_CONSTRAINT', 469, 'write', RowsRejectedError],
    ['TIMEOUT_EXCEEDED', 159, 'read', QueryTooSlowError],
    ['TOO_SLOW', 160, 'read', QueryTooSlowError],
    ['TOO_MANY_ROWS', 158, 'read', QueryTooExpensiveError],
    ['MEMORY_LIMIT_EXCEEDED', 241, 'read', QueryTooExpensiveError],
    ['INCORRECT_DATA', 117, 'read', StoreUnavailableError],
    ['TIMEOUT_EXCEEDED', 159, 'lookup', StoreUnavailableError],
    ['TOO_MANY_ROWS', 158, 'lookup', StoreUnavailableError],
    ['MEMORY_LIMIT_EXCEEDED', 241, 'lookup', StoreUnavailableError],
    ['INCORRECT_DATA', 117, 'lookup', StoreUnavailableError],
    ['UNKNOWN_TABLE', 60, 'lookup', NonRetryableStoreError],
    ['SYNTAX_ERROR', 62, 'lookup', NonRetryableStoreError],
    ['UNKNOWN_IDENTIFIER', 47, 'write', NonRetryableStoreError],
    ['BAD_ARGUMENTS', 36, 'write', NonRetryableStoreError],
    ['SYNTAX_ERROR', 62, 'read', StoreUnavailableError],
    ['AUTHENTICATION_FAILED', 516, 'read', NonRetryableStoreError],
    ['AUTHENTICATION_FAILED', 516, 'write', NonRetryableStoreError],
    ['WRONG_PASSWORD', 193, 'lookup', NonRetryableStoreError],
  ])('maps %s (%d) on a %s to an error class', (...[, code, purpose, type]) => {
    const cause = new Error('first line\nsecond line');
    const error = storeErrorOfCode(code, purpose, cause);
    expect(error.constructor).toBe(type);
    expect(error.cause).toBe(cause);
    expect(error.message).toBe(`ClickHouse answered with error ${code}: first line`);
  });
});
