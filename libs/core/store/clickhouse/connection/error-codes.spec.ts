import { describe, expect, it } from 'vitest';
import {
  QueryTooExpensiveError,
  QueryTooSlowError,
  NonRetryableStoreError,
  RowsRejectedError,
  StoreDamagedError,
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

  const reading = (part: string) =>
    `: (while reading from part /data/store/a40/a407/${part}/ in table tributary.events (a407) located on disk default`;
  const runbook = 'see docs/runbooks/TributaryStoreDamaged.md';

  it.each<[string, number, RequestPurpose, string, string, string?]>([
    [
      'CHECKSUM_DOESNT_MATCH',
      40,
      'read',
      `secret${reading('202611_1_5_2')}`,
      'The part 202611_1_5_2 of the table events',
    ],
    [
      'CHECKSUM_DOESNT_MATCH',
      40,
      'lookup',
      `secret${reading('all_1_5_2_7')}`,
      'The part all_1_5_2_7 of the table events',
    ],
    ['CANNOT_DECOMPRESS', 271, 'read', 'secret', 'A part'],
    [
      'CANNOT_READ_ALL_DATA',
      33,
      'read',
      `secret${reading('all_1_1_0')}`,
      'The part all_1_1_0 of the table events',
    ],
    [
      'FILE_DOESNT_EXIST',
      107,
      'lookup',
      'Cannot open file /data/store/all_3_3_1/data.bin: secret',
      'The part all_3_3_1',
    ],
    ['std::exception', 1001, 'read', '["/data/store/all_3_3_1/data.cmrk4"] secret', 'The part all_3_3_1'],
    [
      'UNFINISHED',
      341,
      'write',
      `secret${reading('all_1_1_0')}`,
      'The part all_1_1_0 of the table events',
      'CHECKSUM_DOESNT_MATCH',
    ],
  ])('maps %s (%d) on a %s to the damage of a part', (...[, code, purpose, text, what, type]) => {
    const error = storeErrorOfCode(code, purpose, Object.assign(new Error(text), { type }));
    expect(error).toBeInstanceOf(StoreDamagedError);
    expect(error.message).toBe(`${what} is damaged (error ${code} of ClickHouse): ${runbook}`);
  });

  it.each<[string, number, RequestPurpose, string, string?]>([
    ['CANNOT_READ_ALL_DATA, a body cut off', 33, 'write', 'Cannot read all data. (at row 7)'],
    ['FILE_DOESNT_EXIST, not of a part', 107, 'read', 'Cannot open file /data/uuid'],
    ['UNFINISHED, for another reason', 341, 'write', reading('all_1_1_0'), 'MEMORY_LIMIT_EXCEEDED'],
  ])('takes %s (%d) on a %s for no damage', (...[, code, purpose, text, type]) => {
    const error = storeErrorOfCode(code, purpose, Object.assign(new Error(text), { type }));
    expect(error.constructor).toBe(StoreUnavailableError);
  });
});
