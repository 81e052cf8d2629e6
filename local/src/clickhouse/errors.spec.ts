import { describe, expect, it } from 'vitest';
import { describeException, httpStatus, toException } from './errors.js';

describe('an error of the engine', () => {
  it('keeps its code, name and message', () => {
    const error = toException(
      new Error('Code: 60. DB::Exception: Table t does not exist (really). (UNKNOWN_TABLE)'),
    );
    expect(error).toMatchObject({
      code: 60,
      symbol: 'UNKNOWN_TABLE',
      message: 'Table t does not exist (really).',
    });
    expect(httpStatus(error)).toBe(404);
    expect(describeException(error, '26.7')).toBe(
      'Code: 60. DB::Exception: Table t does not exist (really). (UNKNOWN_TABLE) (version 26.7 (chdb))\n',
    );
  });

  it('is extracted from the error that wraps it, and the path of the intake file is hidden', () => {
    const inner =
      'Code: 33. DB::Exception: Cannot read all data: (at row 4)\n: (in file/uri /data/intake/1): While executing File';
    const error = toException(
      new Error(`Code: 33. DB::Exception: ${inner}: parsed. (CANNOT_READ_ALL_DATA) (version 26.7).`),
    );
    expect(error).toMatchObject({ code: 33, symbol: 'CANNOT_READ_ALL_DATA' });
    expect(error.message).toMatch(/^Cannot read all data: \(at row 4\)/);
    expect(error.message).not.toContain('intake');
  });

  it('of another form is an unknown exception', () => {
    expect(toException(new TypeError('x is not a function'))).toMatchObject({ code: 1002 });
  });
});
