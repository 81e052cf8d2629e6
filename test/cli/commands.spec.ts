import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventRow, givenGateway, type GivenGateway } from '../../apps/gateway/src/gateway.fixture.js';
import { rowBatchesOf } from '../../libs/core/store/row-batch/row-batches-of.fixture.js';
import { oneProjection, writeDefinitions } from './demo-definitions.js';
import { InterruptedError } from '../../packages/cli/src/errors/cli-error.js';
import { InProcessCliRunner, jsonLines } from './in-process-cli-runner.js';

let gateway: GivenGateway;
let cli: InProcessCliRunner;
beforeEach(async () => {
  gateway = await givenGateway({ where: true });
  const url = await gateway.core.instance.listen({ host: '127.0.0.1', port: 0 });
  cli = new InProcessCliRunner({ TRIBUTARY_URL: url });
});
afterEach(async () => {
  cli.remove();
  await gateway.close();
});

function addressOf({ instance }: GivenGateway['core']): string {
  return `http://127.0.0.1:${(instance.server.address() as { port: number }).port}`;
}

const names = (ndjson: string) =>
  jsonLines(ndjson).map(({ action, name }) => `${String(action)} ${String(name)}`);

async function givenEvents(count: number): Promise<void> {
  await gateway.core.instance.inject({
    method: 'POST',
    url: '/api/v1/streams',
    payload: { stream: 'orders' },
  });
  const rows = Array.from({ length: count }, (_, offset) => eventRow({ offset }));
  await gateway.store.writer.appendRowBatches(rowBatchesOf(rows), 'token');
}

describe('events', () => {
  it('are shown page after page, and counted', async () => {
    await givenEvents(1200);
    const { stdout, code } = await cli.run(['query', 'orders']);
    expect([code, jsonLines(stdout).length]).toEqual([0, 1200]);
    expect(stdout).toContain('"data":{"n":7,"big":9007199254740993,"price":0.10}');
    expect((await cli.run(['count', 'orders'])).stdout).toBe('{"count":1200}\n');
    expect((await cli.run(['count', 'orders', '--by', 'event_type', '-o', 'csv'])).stdout).toBe(
      'event_type,count\r\norder.placed,1200\r\n',
    );
  });

  it.each([
    ['json', /^\[\n {2}\{"event_id":.*"price":0\.10\}.*\},\n {2}\{.*\}\n\]\n$/s],
    [
      'yaml',
      /^event_id: .*\ndata:\n {2}n: 0\n {2}big: 9007199254740993\n {2}price: 0\.10\n.*---\nevent_id: /s,
    ],
    [
      'csv',
      /^event_id,stream,.*,data\r\n.*,"\{""n"":0,""big"":9007199254740993,""price"":0\.10\}"\r\n.*\r\n$/s,
    ],
    [
      'table',
      /^STREAM +EVENT_TYPE +ENTITY_ID +VERSION +TIMESTAMP +DATA\norders +order\.placed +order-0 .*\n.*\n$/,
    ],
  ])('are written as %s', async (form, expected) => {
    await givenEvents(3);
    expect((await cli.run(['query', 'orders', '--limit', '2', '-o', form])).stdout).toMatch(expected);
  });

  it('are a table on a terminal, not wider than the terminal', async () => {
    await givenEvents(1);
    const { stdout } = await cli.run(['query', 'orders'], { terminal: true });
    const [head, row] = stdout.split('\n');
    expect(head).toMatch(/^STREAM +EVENT_TYPE/);
    expect(row).toMatch(/^orders .{92}…$/);
  });

  it('are written from lines, and refused lines are reported with the reason', async () => {
    const input =
      '{"event_type":"t","data":{"n":1}}\n{"data":\n{"event_type":"","data":{}}\n{"data":{},"x":1}\n';
    const { code, stdout, stderr } = await cli.run(['produce', 'fresh'], { input });
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toContain('line 2: This is not JSON: ');
    expect(stderr).toMatch(/line 3: invalid_request: .*\n {2}\/event_type: /);
    expect(stderr).toContain('line 4: An event has no member "x".');
    expect(stderr).toMatch(/1 accepted, 3 rejected\n$/);
  });

  it('are not written from lines that are not UTF-8', async () => {
    const input = Buffer.from('{"data":{"n":1}}\n{"data":{"name":"José"}}\n', 'latin1');
    const { code, stderr } = await cli.run(['produce', 'fresh', '--type', 't'], { input });
    expect(code).toBe(3);
    expect(stderr).toContain('line 2: The line is not UTF-8.');
    expect(stderr).toMatch(/1 accepted, 1 rejected\n$/);
  });

  it('are counted even if the command is interrupted', async () => {
    const [input, interrupted] = [new PassThrough(), new AbortController()];
    const args = ['produce', 'fresh', '--type', 't', '--trace'];
    const running = cli.run(args, { input, signal: interrupted.signal });
    input.write('{"data":{}}\n');
    await expect.poll(async () => (await cli.run(['count', 'fresh'])).code).toBe(0);
    interrupted.abort(new InterruptedError('interrupted'));
    const { code, stderr } = await running;
    expect(code).toBe(130);
    expect(stderr).toMatch(/\d accepted, 0 rejected(, 1 with unknown outcome)?\n$/);
  });

  it('are all refused if the key may not write, and the command ends', async () => {
    const url = await gateway.query.instance.listen({ host: '127.0.0.1', port: 0 });
    const env = { TRIBUTARY_URL: url, TRIBUTARY_KEY: gateway.bearer['events:read'].slice(7) };
    const { code, stderr } = await cli.run(['produce', 'fresh', '--type', 't'], {
      env,
      input: '{"data":{}}\n',
    });
    expect(code).toBe(3);
    expect(stderr).toContain('insufficient_scope: ');
    // The port for events requires no key, so it cannot report the scopes of this one.
    const keyless = { ...env, TRIBUTARY_INGEST_URL: addressOf(gateway.core) };
    const doctor = await cli.run(['doctor'], { env: keyless });
    expect(doctor.stdout).toContain('"detail":"The key has the scopes: events:read."');
  });
});

describe('exit codes', () => {
  it.each([
    { code: 2, args: [] },
    { code: 2, args: ['quarry'] },
    { code: 2, args: ['query', '--nothing'] },
    { code: 2, args: ['query', '--limit', '0'] },
    { code: 2, args: ['query', '--profile', 'nobody'] },
    { code: 2, args: ['get', 'things'] },
    { code: 2, args: ['state', 'orders'] },
    { code: 3, args: ['count', 'stream.that.is.not.there'] },
    { code: 3, args: ['query', '--where', 'event.'] },
    { code: 3, args: ['query', '-o', 'csv', '--where', 'event.'] },
    { code: 4, args: ['count', '--url', 'http://127.0.0.1:9'] },
  ])('$code: $args', async ({ code, args }) => {
    const ran = await cli.run(args);
    expect([ran.code, ran.stdout], ran.stderr).toEqual([code, '']);
    expect(ran.stderr).toMatch(/^tributary: /);
  });
});

describe('when the output is closed', () => {
  it('commands that only show something end, and others continue and exit with their own code', async () => {
    const files = join(cli.folder, 'definitions');
    writeDefinitions(files);
    expect((await cli.run(['diff', '-f', files], { closed: true })).code).toBe(1);
    expect(await cli.run(['apply', '-f', files], { closed: true })).toEqual({
      ...{ code: 0, stdout: '', stderr: '' },
    });
    expect((await cli.run(['diff', '-f', files])).code).toBe(0);
    expect(
      (await cli.run(['delete', 'streams', 'nothing', '--confirm', 'nothing'], { closed: true })).code,
    ).toBe(3);
    expect((await cli.run(['count', 'nothing'], { closed: true })).code).toBe(0);
  });
});

describe('--trace', () => {
  it('shows requests without the key', async () => {
    const env = { TRIBUTARY_KEY: 'trb_secret' };
    const { stderr } = await cli.run(['get', 'streams', '--trace'], { env });
    expect(stderr).toMatch(
      /^> GET http.*\/api\/v1\/streams \(authorization: Bearer \*{4}\)\n< 200 after \d+ ms, request /,
    );
    expect(stderr).not.toContain('secret');
  });
});

describe('definitions in files', () => {
  const apply = (...args: string[]) => cli.run(['apply', '-f', join(cli.folder, 'definitions'), ...args]);
  const diff = (...args: string[]) => cli.run(['diff', '-f', join(cli.folder, 'definitions'), ...args]);
  beforeEach(() => writeDefinitions(join(cli.folder, 'definitions')));

  it('are created in the order of their dependencies, and are unchanged the second time', async () => {
    expect((await diff()).code).toBe(1);
    const first = await apply();
    expect([first.code, first.stderr]).toEqual([0, '']);
    expect(names(first.stdout)).toEqual([
      ...['created departures', 'created departures/flight.delayed'],
      ...['created delays_by_airport', 'created delays_by_hour'],
      ...['created delays_per_window', 'created a_reader'],
    ]);
    expect(jsonLines((await apply('--prune')).stdout).map(({ action }) => action)).toEqual(
      Array(6).fill('unchanged'),
    );
    expect(await diff('--prune')).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('are changed, and their differences are named', async () => {
    await apply();
    writeDefinitions(join(cli.folder, 'definitions'), { size: '2h', retention: '20d' });
    const { code, stdout } = await diff();
    expect([code, jsonLines(stdout)]).toEqual([
      1,
      [
        {
          action: 'change',
          kind: 'stream',
          name: 'departures',
          path: '/retention/time',
          found: '30d',
          wanted: '20d',
        },
        {
          ...{ action: 'change', kind: 'pipeline', name: 'delays_per_window' },
          ...{ path: '/operators/0/window/tumbling', found: '1h', wanted: '2h' },
        },
      ],
    ]);
    expect((await apply('--dry-run')).stdout).toContain(
      '{"action":"change","kind":"stream","name":"departures"}',
    );
    expect((await diff()).code).toBe(1);
    await apply();
    expect((await diff()).code).toBe(0);
  });

  it('are returned as they were defined', async () => {
    await apply();
    const { stdout } = await cli.run(['get', 'all', '-o', 'yaml']);
    expect(stdout).not.toContain('tributary.audit');
    const file = join(cli.folder, 'exported.yaml');
    writeFileSync(file, stdout);
    expect(await cli.run(['diff', '-f', file, '--prune'])).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('are pruned if no file has them; streams and keys are not', async () => {
    await apply();
    const file = join(cli.folder, 'one.yaml');
    writeFileSync(file, oneProjection);
    expect(names((await cli.run(['apply', '-f', file, '--prune'])).stdout)).toEqual([
      'unchanged delays_by_airport',
      ...['deleted a_reader', 'deleted delays_per_window', 'deleted delays_by_hour'],
      'deleted departures/flight.delayed',
    ]);
    expect((await cli.run(['get', 'streams'])).stdout).toContain('"stream":"departures"');
  });

  it.each([
    [
      'kind: stream\nstream: departures\npartitions: 7\n',
      2,
      '/partitions of the stream departures cannot be changed',
    ],
    ['kind: stream\nname: s\n', 2, 'a stream has no member "name".'],
    ['kind: stream\nstream: tributary.own\n', 3, 'stream_reserved: '],
  ])('%j are refused', async (content, code, message) => {
    await apply();
    const file = join(cli.folder, 'wrong.yaml');
    writeFileSync(file, content);
    const ran = await cli.run(['apply', '-f', file]);
    expect([ran.code, ran.stdout]).toEqual([code, '']);
    expect(ran.stderr).toContain(message);
  });

  it('may be keys, which are issued into a new private file', async () => {
    const file = join(cli.folder, 'key.yaml');
    writeFileSync(file, 'kind: key\nname: dashboard\nscopes: [events:read]\n');
    expect((await cli.run(['apply', '-f', file])).stderr).toContain('--keys-to FILE');
    const keys = join(cli.folder, 'keys');
    const issued = await cli.run(['apply', '-f', file, '--keys-to', keys]);
    expect(issued.stdout).toBe('{"action":"created","kind":"key","name":"dashboard"}\n');
    expect(statSync(keys).mode & 0o777).toBe(0o600);
    const { key, key_id } = JSON.parse(readFileSync(keys, 'utf8')) as Record<string, string>;
    expect(key).toMatch(/^trb_/);
    expect((await cli.run(['apply', '-f', file])).stdout).toContain('"unchanged"');
    expect((await cli.run(['delete', 'keys', key_id!])).stderr).toBe(`deleted key ${key_id}\n`);
    expect((await cli.run(['get', 'keys', key_id!])).stdout).toContain('"status":"revoked"');
  });
});

describe('a stream', () => {
  it('is deleted when its name is confirmed', async () => {
    await givenEvents(1);
    expect((await cli.run(['delete', 'streams', 'orders'])).code).toBe(2);
    expect(await cli.run(['delete', 'streams', 'orders', '--confirm', 'orders'])).toMatchObject({ code: 0 });
  });
});

describe('validate', () => {
  it('shows for each line whether it matches the schema, and exits with 1 if one does not', async () => {
    const schema = { type: 'object', properties: { amount: { type: 'integer' } }, required: ['amount'] };
    const payload = { stream: 'orders', event_type: 'order.placed', schema };
    await gateway.core.instance.inject({ method: 'POST', url: '/api/v1/schemas', payload });
    const validate = (input: string, ...more: string[]) =>
      cli.run(['validate', 'orders', 'order.placed', ...more], { input });
    const { stdout, code } = await validate('{"amount":1}\n\n{"amount":12345678901234567890.5}\n');
    expect(code).toBe(1);
    const valid = { line: 1, valid: true, version: 1, code: null, errors: [] };
    const errors = [{ pointer: '/data/amount', detail: 'must be integer' }];
    expect(jsonLines(stdout)).toEqual([
      valid,
      { line: 3, valid: false, version: 1, code: 'schema_violation', errors },
    ]);
    expect((await validate('{"amount":1}\n')).code).toBe(0);
    expect((await validate('{"amount":1}\n', '--version', '7')).stderr).toContain('versions 1 to 1');
  });
});

describe('a protected profile', () => {
  it('must be named for a change, and confirmed for a destructive command', async () => {
    await givenEvents(1);
    const url = addressOf(gateway.core);
    const as = (...args: string[]) => cli.run(args, { env: { TRIBUTARY_URL: '' }, input: '{"data":{}}\n' });
    await as('profile', 'add', 'prod', '--url', url, '--protected');
    await as('profile', 'use', 'prod');
    expect((await as('get', 'streams')).code).toBe(0);
    const implied = await as('produce', 'orders', '--type', 't');
    expect([implied.code, implied.stderr]).toEqual([2, expect.stringContaining('--profile prod') as string]);
    expect((await as('produce', 'orders', '--type', 't', '--profile', 'prod')).code).toBe(0);
    writeDefinitions(join(cli.folder, 'definitions'));
    const files = join(cli.folder, 'definitions');
    expect((await as('apply', '-f', files, '--profile', 'prod')).code).toBe(0);
    const unconfirmed = await as('delete', 'pipelines', 'a_reader', '--profile', 'prod');
    expect(unconfirmed.stderr).toContain('--confirm a_reader');
    writeDefinitions(files, { retention: '1d' });
    const shorter = await as('apply', '-f', files, '--profile', 'prod');
    expect([shorter.code, shorter.stderr]).toEqual([2, expect.stringContaining('--confirm prod') as string]);
    expect((await as('apply', '-f', files, '--profile', 'prod', '--confirm', 'prod')).code).toBe(0);
    expect((await as('profile', 'clear')).code).toBe(0);
    expect((await as('profile', 'list')).stdout).toContain('"current":false');
  });
});
