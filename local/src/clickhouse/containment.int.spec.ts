import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askClickHouse, testEngines } from '#testkit';

const secret = `secret-${randomBytes(6).toString('hex')}`;
const database = `test_contained_${randomBytes(5).toString('hex')}`;
let folder: string;
/** Counts connections to a server outside the engine. */
let outside: Server;
let connections = 0;
let port: number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-contained-'));
  await writeFile(join(folder, 'kept'), `${secret}\n`);
  await writeFile(join(folder, 'template'), `\${data} ${secret}`);
  outside = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve));
  port = (outside.address() as AddressInfo).port;
  await askClickHouse(testEngines(), `CREATE DATABASE ${database}`);
  await ask('CREATE TABLE t (a String) ENGINE = MergeTree ORDER BY a');
});
afterAll(async () => {
  await askClickHouse(testEngines(), `DROP DATABASE ${database}`);
  outside.close();
  await rm(folder, { recursive: true, force: true });
});

function ask(statement: string, parameters: Record<string, string> = {}): Promise<Response> {
  const search = new URLSearchParams({ database, ...parameters });
  return askClickHouse(testEngines(), statement, `?${search.toString()}`);
}

/**
 * Replaces the placeholders: `FILE` is a file with a secret, `DIR` its folder, `HOST` a server that counts
 * connections.
 */
function filled(text: string): string {
  return text
    .replaceAll('FILE', join(folder, 'kept'))
    .replaceAll('DIR', folder)
    .replaceAll('HOST', `127.0.0.1:${port}`);
}

describe('what the user of the apps may not do', () => {
  it.each<[string, Record<string, string>?]>([
    ["SELECT * FROM file('FILE', 'LineAsString')"],
    ["SELECT * FROM 'FILE'"],
    ["DESCRIBE TABLE file('FILE', 'LineAsString')"],
    ["SELECT 1; SELECT file('FILE')"],
    ["INSERT INTO t FROM INFILE 'FILE' FORMAT LineAsString"],
    ["INSERT INTO FUNCTION file('DIR/made', 'TSV', 'a String') SELECT 'x'"],
    ["SELECT 1 INTO OUTFILE 'DIR/made'"],
    ["SELECT 1 FORMAT Template SETTINGS format_template_resultset = 'DIR/template'"],
    ['SELECT 1 FORMAT Template', { format_template_resultset: 'DIR/template' }],
    ['SELECT 1', { "max_threads = 1; SELECT file('FILE') INTO OUTFILE 'DIR/made' --": '1' }],
    ["SELECT * FROM eval('SELECT 1')", { allow_experimental_eval_table_function: '1' }],
    ["CREATE TABLE x (a String) ENGINE = File(TSV, 'FILE')"],
    ["CREATE TABLE x (a String) ENGINE = FileLog('DIR', 'LineAsString')"],
    ["CREATE TABLE x (a String) ENGINE = EmbeddedRocksDB(0, 'DIR/made') PRIMARY KEY a"],
    ["CREATE TABLE x (a String) ENGINE = Executable('sh -c id', 'TSV')"],
    ["ATTACH TABLE x FROM 'DIR' (a String) ENGINE = MergeTree ORDER BY a"],
    ["ATTACH TABLE x FROM 'DIR' (a String) ORDER BY a", { default_table_engine: 'MergeTree' }],
    ["ATTACH TABLE x FROM 'DIR' (a String) PRIMARY KEY a"],
    ["ATTACH TABLE x UUID '01234567-0123-4123-8123-0123456789ab' FROM 'DIR' (a String) PRIMARY KEY a"],
    ["ATTACH TABLE x FROM '../../../../../../../..DIR' (a String) PRIMARY KEY a"],
    ["CREATE DATABASE x ENGINE = Filesystem('DIR')"],
    ["CREATE DATABASE x ENGINE = SQLite('FILE')"],
    ["CREATE DATABASE x ENGINE = Atomic SETTINGS disk = disk(type = 'web', endpoint = 'http://HOST/a/b/')"],
    [
      "CREATE DICTIONARY x (a UInt64, b String) PRIMARY KEY a SOURCE(FILE(path 'FILE' format 'TSV')) LAYOUT(FLAT()) LIFETIME(0)",
    ],
    [
      "CREATE DICTIONARY x (a UInt64, b String) PRIMARY KEY a SOURCE(HTTP(url 'http://HOST/' format 'TSV')) LAYOUT(FLAT()) LIFETIME(0)",
    ],
    ["BACKUP TABLE t TO File('DIR/made')"],
    ["RESTORE TABLE t AS r FROM File('DIR')"],
    ["SELECT * FROM sqlite('FILE', 'x')"],
    ["SELECT * FROM icebergLocal('DIR')"],
    ["SELECT * FROM url('http://HOST/', 'LineAsString')"],
    ["INSERT INTO FUNCTION url('http://HOST/', 'TSV', 'a String') SELECT 'x'"],
    ["SELECT * FROM s3('http://HOST/bucket/key', 'LineAsString')"],
    ["SELECT * FROM remote('HOST', system.one)"],
    ["SELECT * FROM mysql('HOST', 'd', 't', 'u', 'p')"],
    ["SELECT * FROM postgresql('HOST', 'd', 't', 'u', 'p')"],
    ["SELECT * FROM mongodb('HOST', 'd', 'c', 'u', 'p', 'a String')"],
    ["SELECT * FROM redis('HOST', 'a', 'a String')"],
    ["SELECT * FROM executable('x.sh', 'TSV', 'a String')"],
    ["SELECT * FROM ytsaurus('http://HOST', '//a', 't', 'a String')"],
    ["CREATE TABLE x (a String) ENGINE = URL('http://HOST/', TSV)"],
    ["CREATE TABLE x (a String) ENGINE = S3('http://HOST/bucket/key', TSV)"],
    ["CREATE TABLE x (a String) ENGINE = Kafka('HOST', 't', 'g', 'JSONEachRow')"],
    [
      "CREATE TABLE x (a String) ENGINE = MergeTree ORDER BY a SETTINGS disk = disk(type = 'web', endpoint = 'http://HOST/a/b/')",
    ],
    ['CREATE USER x'],
    ['CREATE FUNCTION x AS (a) -> a'],
    ['CREATE NAMED COLLECTION x AS a = 1'],
    ['GRANT ALL ON *.* TO default'],
    ['SYSTEM SHUTDOWN'],
  ])(
    'given %s, then it is refused, and no file or server is accessed',
    async (statement, parameters = {}) => {
      const given = Object.entries(parameters).map(([name, value]) => [filled(name), filled(value)]);
      const answer = await ask(filled(statement), Object.fromEntries(given) as Record<string, string>);
      const text = await answer.text();
      expect(answer.status, text).not.toBe(200);
      expect(text).not.toContain(secret);
      expect([existsSync(join(folder, 'made')), connections]).toEqual([false, 0]);
      expect((await ask('SELECT 1')).status).toBe(200);
    },
  );

  it('given all these statements, then the folder is unchanged', async () => {
    expect((await readdir(folder)).sort()).toEqual(['kept', 'template']);
    expect(await readFile(join(folder, 'kept'), 'utf8')).toBe(`${secret}\n`);
  });
});
