import { describe, expect, it } from 'vitest';
import { statementError } from './sql-error.js';

describe('the position of an error of ClickHouse', () => {
  it('is counted in bytes by ClickHouse, and in characters here', () => {
    const statement = "SELECT\n  'üß😀' , , 1";
    const position = new TextEncoder().encode(statement).length;
    const error = statementError(`Syntax error: failed at position ${position} (1): 1.`, statement);
    expect(error).toMatchObject({ line: 2, wrong: '1', before: "  'üß😀' , , ", after: '' });
    expect(statement.slice(error!.start, error!.end)).toBe('1');
  });

  it('is a space at the end of the statement', () => {
    const error = statementError('Syntax error: failed at position 13 (end of query): .', 'SELECT 1 AND');
    expect(error).toMatchObject({ line: 1, column: 13, start: 12, end: 12, wrong: ' ' });
  });

  it.each([
    ["Unknown table expression identifier 'nothere' in scope", 'SELECT 1\nFROM nothere', [2, 6]],
    ['Unknown expression or function identifier `foo` in scope', 'SELECT foolish, foo', [1, 17]],
    ['Function with name `nofn` does not exist', 'SELECT nofn(1)', [1, 8]],
  ])('is that of an unknown name: %s', (message, statement, [line, column]) =>
    expect(statementError(message, statement)).toMatchObject({ line, column }),
  );

  it('is not guessed', () => {
    expect(statementError('Cannot parse date: value is too short', "SELECT toDate('x')")).toBeUndefined();
    expect(statementError("Unknown identifier 'a.*(b'", 'SELECT 1')).toBeUndefined();
  });
});
