import { describe, expect, it } from 'vitest';
import { errorMessage } from './error-message.js';

describe('the message of a ClickHouse error', () => {
  it.each([
    [
      'a syntax error, without the statement that the gateway sends to parse it',
      "Code: 62. DB::Exception: Syntax error: failed at position 7 (1): 1. Expected one of: AS, FROM: In scope SELECT formatQuerySingleLine('SELEC 1'), normalizeQuery('SELEC 1'). (SYNTAX_ERROR) (version 26.5.1.1)",
      'Syntax error: failed at position 7 (1): 1. Expected one of: AS, FROM. (SYNTAX_ERROR)',
    ],
    [
      'an unknown table, without a suggestion that may name a hidden view',
      "Code: 60. DB::Exception: Unknown table expression identifier 'nope' in scope SELECT * FROM nope. Maybe you meant system.one?. (UNKNOWN_TABLE)\n",
      "Unknown table expression identifier 'nope' in scope SELECT * FROM nope. SHOW TABLES lists the tables; all events are in events. (UNKNOWN_TABLE)",
    ],
    [
      'another error in a scope',
      'Code: 47. DB::Exception: Unknown expression identifier `x` in scope SELECT x FROM events. (UNKNOWN_IDENTIFIER) (version 26.5.1.1)',
      'Unknown expression identifier `x` in scope SELECT x FROM events. (UNKNOWN_IDENTIFIER)',
    ],
    [
      'an unknown member, without a list of suggestions',
      "Code: 47. DB::Exception: Unknown expression identifier `a.b` in scope SELECT a.b FROM events. Maybe you meant: ['x.events.stream', 'it\\'s]']. (UNKNOWN_IDENTIFIER) (version 26.7.2.1)",
      'Unknown expression identifier `a.b` in scope SELECT a.b FROM events. (UNKNOWN_IDENTIFIER)',
    ],
    [
      'an error with brackets in its text',
      'Code: 153. DB::Exception: Division by zero (in 1). (ILLEGAL_DIVISION) (version 26.7.2.1)\n',
      'Division by zero (in 1). (ILLEGAL_DIVISION)',
    ],
    ['an answer without an exception', 'Bad gateway', 'The statement failed. (UNKNOWN_EXCEPTION)'],
    [
      'a statement with the same words',
      "Code: 47. DB::Exception: Unknown expression identifier `x` in scope SELECT x, ' (version 1', 'Maybe you meant'. Maybe you meant secrets?. (UNKNOWN_IDENTIFIER) (version 26.5.1.1)",
      "Unknown expression identifier `x` in scope SELECT x, ' (version 1', 'Maybe you meant'. (UNKNOWN_IDENTIFIER)",
    ],
  ])('of %s', (_name, body, message) => {
    expect(errorMessage(body)).toBe(message);
  });
});
