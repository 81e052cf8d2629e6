import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { makeUsersSql, makeUsersXml, usersFiles } from './clickhouse-users.js';

describe('the files of ClickHouse users', () => {
  it.each([
    [usersFiles.sql, makeUsersSql],
    [usersFiles.xml, makeUsersXml],
  ])('%s has what npm run format:settings writes', (path, make) => {
    expect(readFileSync(path, 'utf8')).toBe(make());
  });
});
