import { describe, expect, it } from 'vitest';
import { assertContained, firstForbiddenWord } from './containment.js';

const none = new Map<string, string>();

describe('the check for access outside the data folder', () => {
  it.each([
    ["SELECT file('/etc/passwd')", 'file'],
    ['SELECT * APPLY file FROM t', 'file'],
    ["INSERT INTO t FROM INFILE '/etc/passwd' FORMAT TSV", 'INFILE'],
    ["SELECT 1 INTO OUTFILE '/tmp/x'", 'OUTFILE'],
    ["SELECT * FROM executable('x', 'TSV')", 'executable'],
    ["CREATE TABLE t (a String) ENGINE = EmbeddedRocksDB(0, '/tmp/x')", 'ENGINE = EmbeddedRocksDB'],
    ["CREATE TABLE t (a String) ENGINE = FileLog('/etc', 'TSV')", 'ENGINE = FileLog'],
    ["CREATE DATABASE d ENGINE = Filesystem('/etc')", 'ENGINE = Filesystem'],
    ["CREATE DATABASE d ENGINE = Atomic SETTINGS disk = disk(type = 'web')", 'disk(...)'],
  ])('when %s is sent, then %s is found', (statement, found) => {
    expect(firstForbiddenWord(statement, none)).toBe(found);
  });

  it.each([
    "SELECT 'file', `a file`, profile FROM t",
    "SELECT engine FROM system.tables WHERE engine = 'File'",
    'CREATE TABLE t (a String) ENGINE = ReplacingMergeTree ORDER BY a',
    'CREATE DATABASE d ENGINE = Atomic',
    'SELECT * FROM system.disks',
  ])('when %s is sent, then nothing is forbidden', (statement) => {
    expect(firstForbiddenWord(statement, none)).toBeUndefined();
  });

  it('when the name of a function is a parameter, then the value of the parameter is checked', () => {
    const statement = 'SELECT arrayMap({f:Identifier}, [1])';
    expect(firstForbiddenWord(statement, new Map([['f', 'file']]))).toBe('{f:Identifier}');
    expect(firstForbiddenWord(statement, none)).toBe('{f:Identifier}');
    expect(firstForbiddenWord(statement, new Map([['f', 'negate']]))).toBeUndefined();
    expect(firstForbiddenWord('SELECT {f:String}', new Map([['f', 'file']]))).toBeUndefined();
  });

  it('when the engine cannot normalize a suspicious statement, then it is refused', async () => {
    const lane = { run: () => Promise.resolve({ bytes: new Uint8Array(), rows: 0 }) };
    await expect(assertContained(lane, { sql: "SELECT file('x')", params: none })).rejects.toMatchObject({
      symbol: 'ACCESS_DENIED',
    });
  });
});
