import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useStack } from '../use-stack.js';
import { oneProjection, writeDefinitions, type DemoDefinitionOptions } from './demo-definitions.js';
import { jsonLines } from './in-process-cli-runner.js';
import { readmeBlocks } from './readme-blocks.js';
import { ChildProcessCliRunner } from './child-process-cli-runner.js';

// A system of its own, because `--prune` affects every definition.
const system = useStack({ processors: 1, sql: true });
let cli: ChildProcessCliRunner;
beforeAll(() => {
  const { urls, key } = system();
  cli = new ChildProcessCliRunner({ url: urls.query, ingestUrl: urls.ingest, key });
});
afterAll(() => cli.remove());

const writeFiles = (options: DemoDefinitionOptions = {}) =>
  writeDefinitions(join(cli.folder, 'definitions'), options);

describe('the commands of the README', () => {
  it('do what the README says, one after the other', async () => {
    const { urls, key } = system();
    const reader = new ChildProcessCliRunner({ url: urls.query, ingestUrl: urls.ingest, key });
    mkdirSync(join(reader.folder, '.tributary'));
    writeFileSync(join(reader.folder, '.tributary/api-key'), key);
    const answers: string[] = [];
    for (const { block, code } of readmeBlocks()) {
      const ran = await reader.shell(`set -eu; export TRIBUTARY_KEY=${key}\n${block}`);
      expect(ran.code, `${block}\n${ran.stdout}${ran.stderr}`).toBe(code);
      answers.push(ran.stdout + ran.stderr);
    }
    const text = answers.join('');
    expect(text).toContain('3 accepted, 0 rejected\n');
    expect(text).toMatch(/^payments +payment\.made +p-2 .*\{"amount": 99\.00, "currency": "EUR"\}$/m);
    expect(text).toMatch(/^payment\.made +2$/m);
    expect(text).toMatch(/^ {2}amount: 12\.50$/m);
    expect(text).toContain('"event_type":"payment.returned"');
    expect(text).toMatch(/^\d+ bytes are in payments\.parquet\.$/m);
    expect(readFileSync(join(reader.folder, 'payments.parquet'), 'latin1')).toMatch(/^PAR1.*PAR1$/s);
    expect(readFileSync(join(reader.folder, 'payments.csv'), 'utf8').split('\r\n')).toHaveLength(4);
    expect(text).toMatch(/^EVENT_TYPE +EVENTS\npayment\.\w+ +\d$/m);
    expect(text).toContain('{"name":"events"}\n');
    expect(text).toContain('"path":"/retention"');
    expect(text).toMatch(/"action":"created","kind":"projection".*"action":"unchanged","kind":"projection"/s);
    expect(text).toMatch(/^payments_by_currency +1 /m);
    expect(text).toContain('--confirm payments');
    expect(text).toContain('deleted stream payments\n');
    expect(text).toMatch(/"name":"prod".*"protected":true/);
    reader.remove();
  });
});

describe('the definitions of the demo, in files', () => {
  it('are created in the order of their dependencies', async () => {
    writeFiles();
    const planned = await cli.run(['diff', '-f', 'definitions']);
    expect(planned.code).toBe(1);
    expect(jsonLines(planned.stdout).map(({ action }) => action)).toEqual(Array(6).fill('create'));
    const { stdout, stderr, code } = await cli.run(['apply', '-f', 'definitions']);
    expect([code, stderr]).toEqual([0, '']);
    expect(
      jsonLines(stdout).map(({ action, kind, name }) => `${String(action)} ${String(kind)} ${String(name)}`),
    ).toEqual([
      ...['created stream departures', 'created schema departures/flight.delayed'],
      ...['created projection delays_by_airport', 'created projection delays_by_hour'],
      ...['created pipeline delays_per_window', 'created pipeline a_reader'],
    ]);
  });

  it('are unchanged the second time', async () => {
    const { stdout, code } = await cli.run(['apply', '-f', 'definitions', '--prune']);
    expect([code, jsonLines(stdout).map(({ action }) => action)]).toEqual([0, Array(6).fill('unchanged')]);
    expect(await cli.run(['diff', '-f', 'definitions', '--prune'])).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    });
  });

  it('differ at a member that diff names, until they are applied', async () => {
    writeFiles({ size: '2h', retention: '20d' });
    const { stdout, code } = await cli.run(['diff', '-f', 'definitions']);
    expect(code).toBe(1);
    expect(jsonLines(stdout)).toMatchObject([
      { kind: 'stream', name: 'departures', path: '/retention/time', found: '30d', wanted: '20d' },
      { kind: 'pipeline', name: 'delays_per_window', path: '/operators/0/window/tumbling' },
    ]);
    const applied = await cli.run(['apply', '-f', 'definitions']);
    expect(jsonLines(applied.stdout).filter(({ action }) => action === 'changed')).toHaveLength(2);
    expect((await cli.run(['diff', '-f', 'definitions'])).code).toBe(0);
  });

  it('are returned as they were defined', async () => {
    const { stdout } = await cli.run(['get', 'all', '-o', 'yaml']);
    writeFileSync(join(cli.folder, 'exported.yaml'), stdout);
    expect(stdout).toContain('kind: pipeline\nname: delays_per_window\n');
    expect(await cli.run(['diff', '-f', 'exported.yaml', '--prune'])).toMatchObject({ code: 0, stdout: '' });
  });

  it('are pruned if no file has them, but streams and their events never', async () => {
    writeFileSync(join(cli.folder, 'one.yaml'), oneProjection);
    const { stdout, code } = await cli.run(['apply', '-f', 'one.yaml', '--prune']);
    expect(code).toBe(0);
    expect(jsonLines(stdout).map(({ action, name }) => `${String(action)} ${String(name)}`)).toEqual([
      'unchanged delays_by_airport',
      ...['deleted a_reader', 'deleted delays_per_window', 'deleted delays_by_hour'],
      'deleted departures/flight.delayed',
    ]);
    const streams = jsonLines((await cli.run(['get', 'streams'])).stdout).map(({ stream }) => stream);
    expect(streams).toEqual(expect.arrayContaining(['departures', 'delays', 'copies']));
  });
});

describe('an impossible change', () => {
  it('is reported before any other change', async () => {
    const file = join(cli.folder, 'wrong.yaml');
    writeFileSync(file, 'kind: stream\nstream: departures\npartitions: 7\n');
    const fixed = await cli.run(['apply', '-f', 'wrong.yaml']);
    expect(fixed.code).toBe(2);
    expect(fixed.stderr).toContain('/partitions of the stream departures cannot be changed from 2 to 7.');
    writeFileSync(file, 'kind: stream\nname: s\n');
    const member = await cli.run(['apply', '-f', 'wrong.yaml']);
    expect(member.stderr).toContain('wrong.yaml: a stream has no member "name".');
    writeFileSync(file, 'kind: stream\nstream: "tributary.own"\n');
    const refused = await cli.run(['apply', '-f', 'wrong.yaml']);
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain('stream_reserved: ');
  });
});

describe('keys', () => {
  it('are issued into a new private file, once', async () => {
    writeFileSync(join(cli.folder, 'key.yaml'), 'kind: key\nname: dashboard\nscopes: [events:read]\n');
    const nowhere = await cli.run(['apply', '-f', 'key.yaml']);
    expect([nowhere.code, nowhere.stderr]).toEqual([2, expect.stringContaining('--keys-to FILE') as string]);
    const issued = await cli.run(['apply', '-f', 'key.yaml', '--keys-to', 'keys']);
    expect(issued.stdout).toBe('{"action":"created","kind":"key","name":"dashboard"}\n');
    const file = join(cli.folder, 'keys');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { key, key_id } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
    expect((await cli.run(['get', 'streams'], { env: { TRIBUTARY_KEY: key } })).code).toBe(0);
    expect((await cli.run(['apply', '-f', 'key.yaml'])).stdout).toContain('"unchanged"');
    expect((await cli.run(['delete', 'keys', key_id!])).stderr).toBe(`deleted key ${key_id}\n`);
  });
});

describe('a protected profile', () => {
  it('must be named for a change, and confirmed for a destructive command', async () => {
    const { url, ingest } = { url: system().urls.query, ingest: system().urls.ingest };
    const env = { TRIBUTARY_URL: '', TRIBUTARY_INGEST_URL: '' };
    const as = (...args: string[]) => cli.run(args, { env });
    await as('profile', 'add', 'prod', '--url', url, '--ingest-url', ingest, '--protected');
    await as('profile', 'use', 'prod');
    await cli.run(['produce', 'doomed', '--type', 't'], { input: '{"data":{}}\n' });
    expect((await as('get', 'streams', 'doomed')).code).toBe(0);
    const implied = await as('delete', 'streams', 'doomed', '--confirm', 'doomed');
    expect([implied.code, implied.stderr]).toEqual([2, expect.stringContaining('--profile prod') as string]);
    const spelled = await as('delete', 'projections', 'delays_by_airport', '--profile', 'prod');
    expect([spelled.code, spelled.stderr]).toEqual([
      2,
      expect.stringContaining('--confirm delays_by_airport') as string,
    ]);
    const pruned = await as('apply', '-f', 'key.yaml', '--keys-to', 'new', '--prune', '--profile', 'prod');
    expect([pruned.code, pruned.stderr]).toEqual([2, expect.stringContaining('--confirm prod') as string]);
    const done = await as('delete', 'streams', 'doomed', '--profile', 'prod', '--confirm', 'doomed');
    expect([done.code, done.stderr]).toEqual([0, 'deleted stream doomed\n']);
    await as('profile', 'clear');
  });
});

describe('lag, doctor and dead letters', () => {
  it('report the state of the system', async () => {
    await expect
      .poll(async () => jsonLines((await cli.run(['lag'])).stdout).map(({ name, lag }) => [name, lag]))
      .toEqual(expect.arrayContaining([['materializer', 0]]));
    const { stdout, code } = await cli.run(['doctor']);
    const findings = jsonLines(stdout);
    expect(code, stdout).toBe(0);
    expect(findings.map(({ check }) => check)).toEqual(
      expect.arrayContaining(['address of the API', 'address for events', 'versions', 'key', 'materializer']),
    );
    const detail = findings.find(({ check }) => check === 'key')?.detail as string;
    expect(detail).toMatch(
      /^The key has the scopes: events:read, events:write, definitions:read, definitions:write, subscriptions:consume, sql:read, admin\.$/,
    );
    const reader = await cli.run(['doctor'], { env: { TRIBUTARY_KEY: system().readerKey } });
    expect(jsonLines(reader.stdout).find(({ check }) => check === 'key')).toMatchObject({
      detail: 'The key has the scopes: events:read.',
    });
    const wrong = await cli.run(['doctor', '--url', 'http://127.0.0.1:9']);
    expect([wrong.code, jsonLines(wrong.stdout)[0]]).toMatchObject([1, { verdict: 'wrong' }]);
  });

  it('are listed and replayed', async () => {
    expect(await cli.run(['dead-letters', 'list', '--replayed', 'no'])).toMatchObject({ code: 0 });
    const { stdout } = await cli.run(['dead-letters', 'replay', '--source', 'materializer', '--dry-run']);
    expect(stdout).toBe('{"matched":0,"replayed":0,"skipped":0,"failed":0}\n');
    expect((await cli.run(['dead-letters', 'replay'])).code).toBe(2);
  });
});
