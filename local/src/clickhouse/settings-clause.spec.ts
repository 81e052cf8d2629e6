import { expect, it } from 'vitest';
import { settingsClause } from './settings-clause.js';

it('quotes the settings of a request', () => {
  const clause = settingsClause(new Map([['insert_deduplication_token', "it's"]]), '');
  expect(clause).toBe("SETTINGS insert_deduplication_token = 'it\\'s'");
});

it("puts the statement's own settings behind those of the request, so that they override them", () => {
  const clause = settingsClause(new Map([['max_threads', '2']]), 'SETTINGS max_threads = 1');
  expect(clause).toBe("SETTINGS max_threads = '2', max_threads = 1");
});

it('is empty without settings', () => {
  expect(settingsClause(new Map(), '')).toBe('');
});

it('accepts a comment behind the keyword', () => {
  expect(settingsClause(new Map(), 'SETTINGS/* few */ max_threads = 1')).toBe(
    'SETTINGS /* few */ max_threads = 1',
  );
});
