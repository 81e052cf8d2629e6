import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemActor } from '#registry';
import { eventRow, givenGateway, type GivenGateway } from '../../apps/gateway/src/gateway.fixture.js';
import { FakeAnalystSqlRunner } from '../../libs/features/sql/fake-sql.fixture.js';
import { rowBatchesOf } from '../../libs/core/store/row-batch/row-batches-of.fixture.js';
import { InProcessCliRunner, jsonLines } from './in-process-cli-runner.js';

/** Answers every statement with these lines. */
function sqlAnswering(lines: string): FakeAnalystSqlRunner {
  const headers = { 'content-type': 'application/x-ndjson; charset=UTF-8' };
  const run: FakeAnalystSqlRunner['run'] = (question) => {
    sql.asked.push(question);
    return Promise.resolve({ headers, body: Readable.from([lines]) });
  };
  const sql = Object.assign(new FakeAnalystSqlRunner(), { run });
  return sql;
}

const rows = '["name","big"]\n["=a,\\"b\\"",18446744073709551615]\n[null,1.10]\n';
let gateway: GivenGateway;
let cli: InProcessCliRunner;
let sql: FakeAnalystSqlRunner;

async function given(lines = rows): Promise<void> {
  sql = sqlAnswering(lines);
  gateway = await givenGateway({ sql });
  const url = await gateway.query.instance.listen({ host: '127.0.0.1', port: 0 });
  cli = new InProcessCliRunner({ TRIBUTARY_URL: url, TRIBUTARY_KEY: gateway.bearer['sql:read'].slice(7) });
}
afterEach(async () => {
  cli.remove();
  await gateway.close();
});

describe('sql', () => {
  it('runs a statement from an argument or from standard input, with parameters', async () => {
    await given();
    const ran = await cli.run(['sql', 'SELECT {n:UInt8}', '--param', 'n=1', '--param', 'text=a=b\tc']);
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    const params = new Map(Object.entries({ n: '1', text: 'a=b\\tc' }));
    expect(sql.asked[0]).toMatchObject({ text: 'SELECT {n:UInt8}', params });
    await cli.run(['sql'], { input: 'SELECT 2\n' });
    expect(sql.asked[1]).toMatchObject({ text: 'SELECT 2\n' });
  });

  it('writes a warning about the statement to standard error', async () => {
    await given();
    const ran = await cli.run(['sql', 'SELECT doubtful', '-o', 'ndjson']);
    expect([ran.code, ran.stderr]).toEqual([0, 'Warning: Doubtful.\n']);
    expect(ran.stdout).not.toContain('Doubtful');
  });

  it.each([
    ['ndjson', '{"name":"=a,\\"b\\"","big":18446744073709551615}\n{"name":null,"big":1.10}\n'],
    ['json', '[\n  {"name":"=a,\\"b\\"","big":18446744073709551615},\n  {"name":null,"big":1.10}\n]\n'],
    ['yaml', 'name: =a,"b"\nbig: 18446744073709551615\n---\nname: null\nbig: 1.10\n'],
    ['csv', 'name,big\r\n"\'=a,""b""",18446744073709551615\r\n,1.10\r\n'],
    ['table', 'NAME    BIG\n=a,"b"  18446744073709551615\n        1.10\n'],
  ])('shows its rows as %s, with every digit', async (form, expected) => {
    await given();
    expect(await cli.run(['sql', 'SELECT 1', '-o', form])).toEqual({ code: 0, stdout: expected, stderr: '' });
  });

  it('shows a table on a terminal, and only the column names if there is no row', async () => {
    await given('["name"]\n');
    expect((await cli.run(['sql', 'SELECT 1', '-o', 'csv'])).stdout).toBe('name\r\n');
    expect((await cli.run(['sql', 'SELECT 1'], { terminal: true })).stdout).toBe('');
    expect((await cli.run(['sql', 'SELECT 1'])).stdout).toBe('');
  });

  it.each([
    [3, ['sql', 'SELECT refused'], 'The function sleep is not allowed. (ACCESS_DENIED)'],
    [2, ['sql'], 'STATEMENT is missing.'],
    [2, ['sql', 'SELECT 1', '--param', 'n'], '--param is "n", but must be NAME=VALUE.'],
    [4, ['sql', 'SELECT 1', '--url', 'http://127.0.0.1:9'], 'cannot be reached'],
  ])('exits with %i: %j', async (code, args, message) => {
    await given();
    const ran = await cli.run(args);
    expect([ran.code, ran.stdout]).toEqual([code, '']);
    expect(ran.stderr).toContain(message);
  });

  it('exits with 2 if the statement is longer than the server accepts', async () => {
    await given();
    const { code, stderr } = await cli.run(['sql'], { input: 'x'.repeat(300 * 1024) });
    expect([code, stderr]).toEqual([2, 'tributary: A statement has at most 262144 bytes.\n']);
  });

  it('exits with 4 if the answer is incomplete', async () => {
    await given('["n"]\n[1]\n[2');
    const ran = await cli.run(['sql', 'SELECT 1']);
    expect([ran.code, ran.stdout]).toEqual([4, '{"n":1}\n']);
    expect(ran.stderr).toContain('The answer was cut off.');
  });
});

describe('export', () => {
  beforeEach(async () => {
    await given();
    await gateway.definitions.createStream({ stream: 'orders', partitions: 1 }, systemActor);
    const written = Array.from({ length: 30 }, (_, offset) => eventRow({ offset }));
    await gateway.store.writer.appendRowBatches(rowBatchesOf(written), 'token');
    cli.remove();
    const url = `http://127.0.0.1:${(gateway.query.instance.server.address() as AddressInfo).port}`;
    cli = new InProcessCliRunner({
      TRIBUTARY_URL: url,
      TRIBUTARY_KEY: gateway.bearer['events:read'].slice(7),
    });
  });
  const files = () => readdirSync(cli.folder);

  it('writes all matching events to standard output', async () => {
    const { code, stdout, stderr } = await cli.run(['export', 'orders', '--entity', 'order-0']);
    expect([code, stderr]).toEqual([0, '']);
    expect(jsonLines(stdout).every(({ entity_id }) => entity_id === 'order-0')).toBe(true);
    expect(jsonLines((await cli.run(['export', 'orders'])).stdout)).toHaveLength(30);
    const csv = await cli.run(['export', 'orders', '--format', 'csv', '--csv-safe']);
    expect(csv.stdout).toMatch(/^event_id,stream,.*\r\n(.*\r\n){30}$/);
  });

  it('creates a file only when it is complete', async () => {
    const file = join(cli.folder, 'orders.parquet');
    writeFileSync(file, 'of yesterday');
    const ran = await cli.run(['export', 'orders', '--format', 'parquet', '--file', file]);
    const { length } = readFileSync(file);
    expect([ran.code, ran.stdout, ran.stderr]).toEqual([0, '', `${length} bytes are in ${file}.\n`]);
    expect(files()).toEqual(['orders.parquet']);
  });

  it.each(['parquet', 'arrow'])('does not write %s to a terminal', async (format) => {
    const { code, stdout, stderr } = await cli.run(['export', '--format', format], { terminal: true });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`${format} is a binary format: write it to a file with --file`);
  });

  it('escapes control characters on a terminal', async () => {
    const row = eventRow({ offset: 40, data: '{"text":"\u202e"}' });
    await gateway.store.writer.appendRowBatches(rowBatchesOf([row]), 'another');
    const { stdout } = await cli.run(['export', 'orders'], { terminal: true });
    expect(stdout).toContain('\\u{202e}');
  });

  it.each([
    [2, ['export', '-o', 'csv'], '--format sets the format'],
    [2, ['export', '--file', '/nowhere/at/all'], '/nowhere/at/all cannot be written: '],
    [3, ['export', 'stream.that.is.not.there'], 'stream_not_found: '],
  ])('exits with %i: %j', async (code, args, message) => {
    const ran = await cli.run(args);
    expect([ran.code, ran.stdout]).toEqual([code, '']);
    expect(ran.stderr).toContain(message);
  });

  it('keeps the previous file, and leaves no other, if the answer is incomplete', async () => {
    const server = await breakingOff();
    const file = join(cli.folder, 'orders.ndjson');
    const args = ['export', '--url', `http://127.0.0.1:${(server.address() as AddressInfo).port}`];
    try {
      const fresh = await cli.run([...args, '--file', file]);
      expect([fresh.code, existsSync(file), files()]).toEqual([4, false, []]);
      writeFileSync(file, 'of yesterday');
      expect((await cli.run([...args, '--file', file])).code).toBe(4);
      expect([files(), readFileSync(file, 'utf8')]).toEqual([['orders.ndjson'], 'of yesterday']);
      const piped = await cli.run(args);
      expect([piped.code, piped.stdout]).toEqual([4, '{"n":1}\n']);
      expect(piped.stderr).toContain('The answer was cut off: ');
    } finally {
      server.close();
    }
  });
});

/** A server whose answer ends without its last chunk. */
async function breakingOff(): Promise<Server> {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    response.write('{"n":1}\n', () => setTimeout(() => response.destroy(), 50));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return server;
}
