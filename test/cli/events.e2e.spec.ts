import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '#testkit';
import { freshStream } from '../api.js';
import { debianProgram } from '../debian-program.js';
import { useSharedStack } from '../use-stack.js';
import { ChildProcessCliRunner } from './child-process-cli-runner.js';

const system = useSharedStack();
let cli: ChildProcessCliRunner;
beforeAll(() => {
  const { urls, key } = system();
  cli = new ChildProcessCliRunner({ url: urls.query, ingestUrl: urls.ingest, key });
});
afterAll(() => cli.remove());

const line = (n: number) =>
  `{"event_type": "${n % 2 ? 'odd' : 'even'}", "entity_id": "e${n % 3}", "data": {"n": ${n}, "big": 9007199254740993}}`;
const lines = (count: number) => Array.from({ length: count }, (_, n) => `${line(n)}\n`).join('');
const jsonLines = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((one) => JSON.parse(one) as Record<string, unknown>);

describe('produce, query and count', () => {
  const stream = freshStream('cli');

  it('writes each line as an event, and reports their number', async () => {
    const produced = await cli.run(['produce', stream, '--wait'], { input: lines(1500) });
    expect(produced).toEqual({ code: 0, stdout: '', stderr: '1500 accepted, 0 rejected\n' });
    const { stdout } = await cli.run(['count', stream]);
    expect(stdout).toBe('{"count":1500}\n');
  });

  it('shows every page in a pipe, one JSON object per line, with every digit', async () => {
    const { stdout, code } = await cli.run(['query', stream, '--type', 'odd']);
    expect(code).toBe(0);
    expect(stdout).toContain('"data":{"n": 1, "big": 9007199254740993}');
    expect(jsonLines(stdout)).toHaveLength(750);
  });

  it('counts by type and time interval', async () => {
    const byType = await cli.run(['count', stream, '--by', 'event_type', '-o', 'csv']);
    expect(byType.stdout).toBe('event_type,count\r\neven,750\r\nodd,750\r\n');
    const bySpan = await cli.run(['count', stream, '--every', '1d']);
    expect(jsonLines(bySpan.stdout).reduce((sum, { count }) => sum + (count as number), 0)).toBe(1500);
  });

  it('counts by the local days of a time zone', async () => {
    const range = ['--since', '2020-01-01T00:00:00Z', '--until', '2040-01-01T00:00:00Z'];
    const local = await cli.run(['count', stream, '--calendar', 'day', '--zone', 'Asia/Kathmandu', ...range]);
    const days = jsonLines(local.stdout);
    expect(days.reduce((sum, { count }) => sum + (count as number), 0)).toBe(1500);
    for (const { start } of days) expect(start).toMatch(/T18:15:00/);
  });

  it('estimates quantiles, in total and for each group', async () => {
    const asked = ['count', stream, '--quantile', '0.5', '--quantile', '1', '--value', 'event.offset'];
    const quantiles = { 0.5: expect.any(Number) as number, 1: expect.any(Number) as number };
    expect(JSON.parse((await cli.run(asked)).stdout)).toMatchObject({ count: 1500, quantiles });
    const groups = jsonLines((await cli.run([...asked, '--by', 'stream'])).stdout);
    expect(groups).toMatchObject([{ group: stream, count: 1500, quantiles }]);
    expect((await cli.run([...asked, '--quantile', '2'])).stderr).toContain('from 0 to 1');
  });

  it('prints no error when the reader closes its output', async () => {
    expect(await cli.shell(`tributary query ${stream} | head -1 | wc -l`)).toEqual({
      ...{ code: 0, stderr: '' },
      stdout: expect.stringMatching(/^ *1\n$/) as string,
    });
  });

  it('exports stored events and queries them by SQL, with every digit', async () => {
    const exported = await cli.run(['export', stream, '--type', 'odd', '--file', 'odd.ndjson']);
    expect([exported.code, exported.stdout]).toEqual([0, '']);
    expect(jsonLines(readFileSync(join(cli.folder, 'odd.ndjson'), 'utf8'))).toHaveLength(750);
    const statement =
      'SELECT count() AS n, toUInt64(9007199254740993) AS big FROM events WHERE stream = {s:String}';
    const asked = await cli.run(['sql', statement, '--param', `s=${stream}`]);
    expect(asked).toEqual({ code: 0, stdout: '{"n":1500,"big":9007199254740993}\n', stderr: '' });
    const refused = await cli.run(['sql'], { input: 'SELECT * FROM system.users' });
    expect([refused.code, refused.stdout]).toEqual([3, '']);
    expect((await cli.shell(`tributary export ${stream} | head -1 | wc -l`)).stderr).toBe('');
  });

  it('writes output that jq can read', async () => {
    debianProgram('jq');
    const { stdout, code } = await cli.shell(
      `tributary query ${stream} --entity e0 --limit 3 | jq -c .data.n`,
    );
    expect([code, stdout.trim().split('\n').toSorted()]).toEqual([0, ['0', '3', '6']]);
  });

  it('shows a table on a terminal, not wider than the terminal and without control characters', async () => {
    const own = freshStream('cli');
    const wide = `{"event_type": "t", "entity_id": "x", "data": {"text": "a\u202eb ${'long '.repeat(50)}"}}\n`;
    expect((await cli.run(['produce', own, '--wait'], { input: wide })).code).toBe(0);
    const { stdout } = await cli.terminal(`tributary query ${own}`);
    const [head, row] = stdout.split('\r\n');
    expect(head).toMatch(/^STREAM +EVENT_TYPE +ENTITY_ID/);
    expect(row).toContain('a\\u{202e}b');
    expect(row).toHaveLength(100);
    expect(row).toMatch(/…$/);
    const parquet = await cli.terminal(`tributary export ${own} --format parquet`);
    expect(parquet).toMatchObject({
      code: 2,
      stdout: expect.stringContaining('parquet is a binary format') as string,
    });
    const asked = `tributary sql "SELECT entity_id, data FROM events WHERE stream = '${own}'"`;
    const [names, values] = (await cli.terminal(asked)).stdout.split('\r\n');
    expect(names).toMatch(/^ENTITY_ID +DATA$/);
    expect(values).toMatch(/^x +\{"text": "a\\u\{202e\}b .*…$/);
  });

  it('shows the state of an entity', async () => {
    const { stdout } = await cli.run(['state', stream, 'e1']);
    expect(stdout).toMatch(/"version":500.*"state":\{"n":1498,"big":9007199254740993\}/);
  });
});

describe('events that are refused', () => {
  it('are reported with their line and the reason, the others are written, and the exit code is 3', async () => {
    const stream = freshStream('cli');
    const input = `${line(1)}\n{"data":\n{"event_type":"t","data":{},"typo":1}\n{"event_type":"","data":{}}\n${line(2)}\n`;
    const { code, stderr } = await cli.run(['produce', stream, '--wait'], { input });
    expect(code).toBe(3);
    expect(stderr).toContain('line 2: This is not JSON: ');
    expect(stderr).toContain('line 3: An event has no member "typo".');
    expect(stderr).toMatch(/line 4: invalid_request: .*\n {2}\/event_type: /);
    expect(stderr).toContain('2 accepted, 3 rejected');
    expect((await cli.run(['count', stream])).stdout).toBe('{"count":2}\n');
  });

  it('because their entity has another version are reported with its version', async () => {
    const stream = freshStream('cli');
    const input = [0, 0, 1, 7]
      .map((expected_version, n) => JSON.stringify({ entity_id: 'e', expected_version, data: { n } }))
      .join('\n');
    const first = await cli.run(['produce', stream, '--type', 't', '--wait'], { input });
    expect(first.code).toBe(3);
    expect(first.stderr).toMatch(/^line 2: version_conflict: .*version 1, not 0/m);
    expect(first.stderr).toMatch(/^line 4: version_conflict: .*version 2, not 7/m);
    expect(first.stderr).toContain('2 accepted, 2 rejected');
    const second = await cli.run(['produce', stream, '--type', 't', '--expected-version', '0', '--wait'], {
      input: '{"entity_id":"e","data":{}}\n{"entity_id":"new","data":{}}\n',
    });
    expect(second.code).toBe(3);
    expect(second.stderr).toMatch(/^line 1: version_conflict: .*version 2, not 0/m);
    expect((await cli.run(['count', stream])).stdout).toBe('{"count":3}\n');
  });

  it('end the command if every further event would be refused as well', async () => {
    const input = lines(3);
    const env = { TRIBUTARY_KEY: system().readerKey, TRIBUTARY_INGEST_URL: system().urls.query };
    const { code, stderr } = await cli.run(['produce', freshStream('cli')], { input, env });
    expect(code).toBe(3);
    expect(stderr).toContain('insufficient_scope');
  });

  it('are shown on a terminal together with the progress bar', async () => {
    const stream = freshStream('cli');
    const { stdout, code } = await cli.terminal(
      `yes '${line(1)}' | head -3000 > events.ndjson; tributary produce ${stream} events.ndjson`,
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/\[#*-*\] \d+ % {2}[\d ]+ events/);
    expect(stdout).toMatch(/3000 accepted, 0 rejected\r\n$/);
  });
});

describe('tail', () => {
  it.each(['2020-01-01T00:00:00Z', '1h', '-1h'])(
    'continues from the position in a file, since %s',
    async (since) => {
      const [stream, position] = [freshStream('cli'), `position${since.slice(0, 2)}`];
      await cli.run(['produce', stream, '--wait'], { input: lines(3) });
      const args = ['tail', stream, '--since', since, '--resume', position];
      const first = await cli.run([...args, '--limit', '3']);
      expect([first.code, jsonLines(first.stdout).length]).toEqual([0, 3]);
      await cli.run(['produce', stream, '--type', 'later'], { input: '{"data":{}}\n' });
      const second = await cli.run([...args, '--limit', '1']);
      expect(jsonLines(second.stdout)).toMatchObject([{ event_type: 'later' }]);
      expect(readFileSync(join(cli.folder, position), 'utf8')).toMatch(/^\S+\n$/);
    },
  );

  it('shows accepted events with --accepted, and continues from the same position', async () => {
    const stream = freshStream('cli');
    await cli.run(['produce', stream, '--wait'], { input: lines(1) });
    const args = ['tail', stream, '--accepted', '--since', '2020-01-01T00:00:00Z', '--resume', 'accepted'];
    const first = await cli.run([...args, '--limit', '1']);
    expect(jsonLines(first.stdout)).toMatchObject([{ stream, entity_id: 'e0' }]);
    const child = cli.start([...args, '--limit', '1']);
    const [shown, closed] = [once(createInterface(child.stdout!), 'line'), once(child, 'close')];
    await cli.run(['produce', stream, '--type', 'later'], { input: '{"data":{}}\n' });
    expect(JSON.parse(((await shown) as [string])[0])).toMatchObject({ event_type: 'later' });
    expect(await closed).toEqual([0, null]);
  });

  it('shows each event when it arrives, and saves its position when Ctrl-C ends it', async () => {
    const stream = freshStream('cli');
    await cli.run(['produce', stream, '--wait'], { input: lines(1) });
    const child = cli.start(['tail', stream, '--since', '2020-01-01T00:00:00Z', '--resume', 'at']);
    const [shown] = (await once(createInterface(child.stdout!), 'line')) as [string];
    expect(JSON.parse(shown)).toMatchObject({ stream, entity_id: 'e0' });
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([130, null]);
    expect(existsSync(join(cli.folder, 'at'))).toBe(true);
  });
});

describe('receive', () => {
  const stream = freshStream('cli');
  const status = async () => jsonLines((await cli.run(['get', 'subscription', stream])).stdout)[0];

  it('acknowledges with --ack what it has shown, and shows the token of other events, with every digit', async () => {
    expect((await cli.run(['produce', stream, '--wait'], { input: lines(3) })).code).toBe(0);
    const definition = {
      kind: 'subscription',
      name: stream,
      source: { streams: [stream] },
      from: 'beginning',
    };
    writeFileSync(join(cli.folder, 'subscription.json'), JSON.stringify(definition));
    expect((await cli.run(['apply', '-f', 'subscription.json'])).code).toBe(0);
    const acknowledged = await cli.run(['receive', stream, '--ack', '--follow', '--max', '2']);
    expect([acknowledged.code, acknowledged.stderr]).toEqual([0, '']);
    expect(acknowledged.stdout).toMatch(/"data":\{"n": \d, "big": 9007199254740993\}/);
    expect(await status()).toMatchObject({ outstanding: 0 });
    const received = await cli.run(['receive', stream, '--max', '1']);
    expect(received.stdout).toMatch(
      /^\{"token":"[^"]+","attempt":1,"event":\{.*"data":\{"n": \d, "big": 9007199254740993\}.*\}\}\n$/,
    );
    const numbers = [...jsonLines(acknowledged.stdout), jsonLines(received.stdout)[0]!.event as object];
    const seen = numbers.map((event) => (event as { data: { n: number } }).data.n);
    expect(seen.toSorted()).toEqual([0, 1, 2]);
    expect(await status()).toMatchObject({ outstanding: 1 });
  });

  it('continues with --follow until Ctrl-C, and acknowledges an event as soon as it is shown', async () => {
    const child = cli.start(['receive', stream, '--ack', '--follow']);
    const shown = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
    await cli.run(['produce', stream], { input: line(7).replace('e1', 'e9') });
    const { value } = (await shown.next()) as { value: string };
    expect(value).toContain('"n": 7');
    await until(async () => (await status())?.outstanding === 1, { what: 'the acknowledgement' });
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([130, null]);
  });

  it('receives all events again after a seek', async () => {
    const moved = await cli.run(['subscriptions', 'seek', stream, '--to', 'beginning', '--yes']);
    expect(moved).toMatchObject({ code: 0, stderr: `moved subscription ${stream} to beginning\n` });
    const received = await cli.run(['receive', stream, '--ack', '--follow', '--max', '4']);
    expect(jsonLines(received.stdout)).toHaveLength(4);
  });
});

describe('keys', () => {
  it('come from a command or a private file, and --trace does not show them', async () => {
    const { key } = system();
    const env = { TRIBUTARY_KEY: '' };
    const command = await cli.run(['get', 'streams', '--trace', '--key-command', `echo ${key}`], { env });
    expect(command.code).toBe(0);
    expect(command.stderr).toMatch(/^> GET http:.*authorization: Bearer \*{4}/);
    expect(command.stderr).toMatch(/^< 200 after \d+ ms, request /m);
    expect(command.stderr).not.toContain(key);
    const open = await cli.shell(`echo ${key} > open; chmod 644 open; tributary get streams --key-file open`);
    expect(open.code).toBe(2);
    expect(open.stderr).toContain("chmod 600 'open'");
    const closed = await cli.shell('chmod 600 open; TRIBUTARY_KEY= tributary get streams --key-file open');
    expect(closed.code).toBe(0);
  });

  it('are requested from the user if there is none', async () => {
    const { code, stderr } = await cli.run(['get', 'streams'], { env: { TRIBUTARY_KEY: '' } });
    expect(code).toBe(3);
    expect(stderr).toContain('unauthenticated');
    expect(stderr).toContain('Set TRIBUTARY_KEY');
  });
});
