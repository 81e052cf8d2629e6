import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventRow, givenGateway, type GivenGateway } from '../../apps/gateway/src/gateway.fixture.js';
import { rowBatchesOf } from '../../libs/core/store/row-batch/row-batches-of.fixture.js';
import { JobHistory } from '#features/health';
import { InProcessCliRunner, jsonLines } from './in-process-cli-runner.js';

let gateway: GivenGateway;
let cli: InProcessCliRunner;
beforeEach(async () => {
  gateway = await givenGateway({ where: true });
  const url = await gateway.core.instance.listen({ host: '127.0.0.1', port: 0 });
  cli = new InProcessCliRunner({ TRIBUTARY_URL: url });
  expect((await cli.run(['streams', 'create', 'orders', '--partitions', '2'])).code).toBe(0);
});
afterEach(async () => {
  cli.remove();
  await gateway.close();
});

const projection = `kind: projection\nname: p\nsource: { streams: [orders] }\nfields: { n: { op: count } }\n`;
const pipeline = `kind: pipeline\nname: p\nsource: { streams: [orders] }\noperators: [{ emit: { stream: copies } }]\n`;

async function givenDefinitions(...manifests: string[]): Promise<void> {
  const file = join(cli.folder, 'definitions.yaml');
  writeFileSync(file, manifests.join('---\n'));
  expect((await cli.run(['apply', '-f', file])).stderr).toBe('');
}

async function givenEvents(count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, offset) => eventRow({ offset }));
  await gateway.store.writer.appendRowBatches(rowBatchesOf(rows), 'token');
}

const nothing = { code: 2, stdout: '' };

describe('produce --atomic', () => {
  const line = (more: object) => `${JSON.stringify({ event_type: 't', data: {}, ...more })}\n`;

  it('writes all lines or none', async () => {
    const both = await cli.run(['produce', 'orders', '--atomic'], { input: line({}) + line({}) });
    expect(both).toMatchObject({ code: 0, stderr: '2 accepted, 0 rejected\n' });
    const invalid = await cli.run(['produce', 'orders', '--atomic'], { input: line({}) + line({ data: 1 }) });
    expect(invalid.code).toBe(3);
    expect(invalid.stderr).toContain('/events/1/data');
    expect((await cli.run(['count', 'orders'])).stdout).not.toContain('3');
  });

  it('has the condition of its first line, whose entity all lines must be of', async () => {
    const input = line({ entity_id: 'a' }) + line({ entity_id: 'b' });
    const mixed = await cli.run(['produce', 'orders', '--atomic', '--expected-version', '0'], { input });
    expect(mixed.code).toBe(3);
    expect(mixed.stderr).toContain('one stream and one entity');
  });

  it('says that it read no event', async () => {
    const empty = await cli.run(['produce', 'orders', '--atomic'], { input: '\n' });
    expect(empty).toMatchObject({ code: 1, stderr: 'No event was read: write one JSON object per line.\n' });
  });
});

describe.each(['projection', 'projections', 'pipeline', 'pipelines'])('a %s', (kind) => {
  const one = kind.replace(/s$/, '');
  beforeEach(() => givenDefinitions(projection, pipeline));

  it('is paused and resumed, and shown with the same kind', async () => {
    const [paused, shown] = [await cli.run(['pause', kind, 'p']), await cli.run(['get', kind, 'p'])];
    expect(paused).toEqual({ code: 0, stdout: '', stderr: `paused ${one} p; its status is paused\n` });
    expect(jsonLines(shown.stdout)).toMatchObject([{ name: 'p', status: 'paused' }]);
    const resumed = await cli.run(['resume', kind, 'p']);
    expect(resumed.stderr).toMatch(new RegExp(`^resumed ${one} p; its status is (running|building)\n$`));
  });

  it('is reset after a confirmation, which says what the reset does', async () => {
    const unconfirmed = await cli.run(['reset', kind, 'p']);
    expect(unconfirmed).toMatchObject(nothing);
    expect(unconfirmed.stderr).toMatch(
      /^tributary: Resets the .* p: .* again.*Confirm it: --yes, or --confirm p\.\n$/,
    );
    for (const confirmed of ['--yes', '-y', '--confirm=p'])
      expect((await cli.run(['reset', kind, 'p', confirmed])).stderr).toContain(
        `reset ${one} p; its status is `,
      );
  });
});

describe('a subscription', () => {
  const subscription = (more: string) =>
    `kind: subscription\nname: s\nsource: { streams: [orders] }\n${more}`;
  const differences = async (more: string) => {
    const file = join(cli.folder, 'changed.yaml');
    writeFileSync(file, subscription(more));
    return cli.run(['diff', '-f', file]);
  };

  it('is applied, and equals a file that names its defaults or leaves them out', async () => {
    await givenDefinitions(subscription('retry: { attempts: 8, backoff: { first: 2s } }\nack_within: 1m\n'));
    const same = 'retry: { backoff: { first: 2s, factor: 4 } }\nack_within: 1m\norder: entity\n';
    expect((await differences(same)).code).toBe(0);
    expect((await differences('ack_within: 1m\n')).code).toBe(1);
    const { stdout } = await cli.run(['get', 'subscription', 's']);
    expect(jsonLines(stdout)).toMatchObject([
      { version: 1, retry: { attempts: 8, backoff: { first: '2s' } } },
    ]);
  });

  it('is changed, except for its source and its start', async () => {
    await givenDefinitions(subscription(''));
    await givenDefinitions(subscription('max_outstanding: 5\n'));
    const { stdout } = await cli.run(['get', 'subscriptions', 's']);
    expect(jsonLines(stdout)).toMatchObject([{ version: 2, max_outstanding: 5 }]);
    expect((await differences('from: beginning\n')).code).toBe(1);
    const { code, stderr } = await cli.run(['apply', '-f', join(cli.folder, 'changed.yaml')]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('from of the subscription s cannot be changed'),
    ]);
  });

  it('is paused, resumed and deleted, and cannot be reset', async () => {
    await givenDefinitions(subscription(''));
    expect((await cli.run(['pause', 'subscription', 's'])).stderr).toContain('its status is paused');
    expect((await cli.run(['resume', 'subscription', 's'])).stderr).toContain('its status is running');
    expect((await cli.run(['reset', 'subscription', 's', '--yes'])).code).toBe(2);
    expect((await cli.run(['delete', 'subscription', 's', '--yes'])).code).toBe(0);
  });
});

describe('the events of a subscription', () => {
  beforeEach(() => givenDefinitions('kind: subscription\nname: s\nsource: { streams: [orders] }\n'));
  const run = (...args: string[]) => cli.run(['subscriptions', ...args]);

  it('are counted in the list', async () => {
    const { stdout } = await cli.run(['get', 'subscriptions', '-o', 'csv']);
    expect(stdout).toBe(
      'name,version,status,outstanding,retrying,waiting,parked,lag\r\ns,1,running,0,0,0,0,0\r\n',
    );
  });

  it('are received; without an event nothing is shown', async () => {
    expect(await cli.run(['receive', 's', '--wait', '1s'])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect((await cli.run(['receive', 's', '--wait', '2m'])).code).toBe(3);
    expect((await cli.run(['receive', 'other'])).stderr).toContain('subscription_not_found');
    await cli.run(['pause', 'subscription', 's']);
    expect((await cli.run(['receive', 's', '--follow'])).stderr).toContain('subscription_paused');
  });

  it('are listed, replayed and discarded when they are parked', async () => {
    expect(await run('parked', 's')).toEqual({ code: 0, stdout: '', stderr: '' });
    expect((await run('replay', 's', '--all')).stderr).toBe('replayed 0 parked events of subscription s\n');
    expect((await run('replay', 's', 'orders:0:1')).stderr).toContain('replayed 0');
    expect((await run('discard', 's', '--all', '--yes')).stderr).toContain('discarded 0 parked events');
  });

  it.each([
    [['replay', 's'], 'Name either IDs, or --all.'],
    [['discard', 's', 'orders:0:1', '--all'], 'Name either IDs, or --all.'],
    [['discard', 's', 'orders:0:1'], 'never handed out again. Confirm it: --yes, or --confirm s.'],
    [['seek', 's'], '--to TIME is missing'],
    [['seek', 's', '--to', '-1h'], 'Moves the subscription s to -1h. What is'],
  ])('are not changed by %j', async (args, message) => {
    const answer = await run(...args);
    expect(answer).toMatchObject(nothing);
    expect(answer.stderr).toContain(message);
  });

  it.each(['beginning', 'now', '-1h', '1h'])('are received from %s after a seek', async (to) => {
    const { code, stderr } = await run('seek', 's', '--to', to, '--yes');
    expect([code, stderr]).toEqual([0, `moved subscription s to ${to.replace(/^1h/, '-1h')}\n`]);
  });
});

describe('a question on a terminal', () => {
  it.each(['yes\n', 'y\n', ' YES\n'])('is confirmed with %j', async (input) => {
    const { code, stderr } = await cli.run(['delete', 'stream', 'orders'], { input, terminal: true });
    expect([code, stderr]).toEqual([0, expect.stringContaining('with all its events') as string]);
    expect(stderr).toMatch(/Continue\? \[yes\/no\] deleted stream orders\n$/);
  });

  it.each(['no\n', '\n', 'yesterday\n', ''])('is declined with %j, and nothing changes', async (input) => {
    const { code, stderr } = await cli.run(['delete', 'stream', 'orders'], { input, terminal: true });
    expect([code, stderr]).toEqual([2, expect.stringContaining('Nothing was changed') as string]);
    expect((await cli.run(['get', 'stream', 'orders'])).code).toBe(0);
  });
});

describe('an entity', () => {
  it('is erased after a confirmation', async () => {
    await givenEvents(3);
    expect(await cli.run(['erase', 'orders', 'order-1'])).toMatchObject(nothing);
    expect(await cli.run(['erase', 'orders', 'order-1', '--confirm', 'order-2'])).toMatchObject(nothing);
    const { code, stderr } = await cli.run(['erase', 'orders', 'order-1', '--yes']);
    const lines = ['erased entity order-1 of stream orders', expect.stringMatching(/reset projection NAME/)];
    expect([code, stderr.trimEnd().split('\n')]).toEqual([0, lines]);
  });
});

describe('a stream', () => {
  it('is created with its partitions and its retention', async () => {
    const limits = ['--retention', '30d', '--retention-bytes', '1000000'];
    const { code, stderr } = await cli.run(['streams', 'create', 'sales', '--partitions', '3', ...limits]);
    expect([code, stderr]).toEqual([0, 'created stream sales\n']);
    const [stream] = jsonLines((await cli.run(['get', 'stream', 'sales'])).stdout);
    expect(stream).toMatchObject({ partitions: 3, retention: { time: '30d', bytes: 1000000 } });
  });

  it('gets another retention after a confirmation, or no limit without one', async () => {
    const change = (...options: string[]) => cli.run(['streams', 'retention', 'orders', ...options]);
    const unconfirmed = await change('--retention', '7d');
    expect(unconfirmed).toMatchObject(nothing);
    expect(unconfirmed.stderr).toContain(
      'from "unlimited" to {"time":"7d"}. Events beyond it are removed for ever.',
    );
    const changed = 'changed the retention of stream orders from';
    expect((await change('--retention', '7d', '--yes')).stderr).toBe(
      `${changed} "unlimited" to {"time":"7d"}\n`,
    );
    expect((await change('--retention', 'unlimited')).stderr).toBe(
      `${changed} {"time":"7d"} to "unlimited"\n`,
    );
    expect((await change()).stderr).toContain('--retention SPAN or --retention-bytes N is missing');
  });
});

describe('a key', () => {
  it('is issued, rotated and revoked', async () => {
    const issue = ['keys', 'issue', 'web shop', '--scope', 'events:read', '--scope', 'events:write'];
    const issued = await cli.run([...issue, '--stream', 'web.*']);
    const [{ key, key_id: id } = {}] = jsonLines(issued.stdout) as { key: string; key_id: string }[];
    expect([issued.code, key]).toEqual([0, expect.stringMatching(/^trb_/) as string]);
    expect(await cli.run(['keys', 'rotate', id!])).toMatchObject(nothing);
    const rotated = await cli.run(['keys', 'rotate', id!, '--overlap', '24h']);
    expect(jsonLines(rotated.stdout)).toMatchObject([{ key_id: id }]);
    expect(rotated.stdout).not.toContain(key);
    expect(await cli.run(['keys', 'revoke', id!])).toMatchObject(nothing);
    expect((await cli.run(['keys', 'revoke', id!, '--yes'])).stderr).toBe(`revoked key ${id}\n`);
    expect(jsonLines((await cli.run(['get', 'key', id!])).stdout)).toMatchObject([{ status: 'revoked' }]);
  });

  it('may be written into a new private file', async () => {
    const file = join(cli.folder, 'key');
    const args = ['keys', 'issue', 'k', '--scope', 'events:read', '--keys-to', file];
    expect(await cli.run(args)).toMatchObject({ code: 0, stdout: '' });
    expect(readFileSync(file, 'utf8')).toContain('"key":"trb_');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await cli.run(args)).toMatchObject(nothing);
  });

  it('needs a scope', async () => {
    expect((await cli.run(['keys', 'issue', 'k'])).stderr).toContain('--scope SCOPE is missing');
  });
});

describe('a time', () => {
  it('may be relative, before or after a dash', async () => {
    await givenEvents(3);
    const total = async (...range: string[]) => (await cli.run(['count', 'orders', ...range])).stdout;
    const all = '{"count":3}\n';
    for (const since of [['--since', '36500d'], ['--since', '-36500d'], ['--since=-36500d']])
      expect(await total(...since), String(since)).toBe(all);
    expect(await total('--until', '36500d')).toBe('{"count":0}\n');
    expect(await total('--since', 'now', '--until', '2100-01-01T00:00:00Z')).toBe('{"count":0}\n');
    expect((await cli.run(['state', 'orders', 'order-1', '--as-of', '36500d'])).code).toBe(3);
  });

  it.each(['15x', '-15x', '+15m', 'yesterday'])(
    '%s is refused with the forms that are valid',
    async (since) => {
      const { code, stderr } = await cli.run(['query', 'orders', '--since', since]);
      expect([code, stderr]).toEqual([3, expect.stringContaining('now, -15m, -1h or -7d') as string]);
    },
  );
});

describe('query', () => {
  const offsets = (table: string) => table.split('\n').flatMap((line) => /"n":(\d+),/.exec(line)?.[1] ?? []);
  const numbers = (from: number, end: number) =>
    Array.from({ length: end - from }, (_, i) => String(from + i));
  const shown = async (...args: string[]) => {
    const { stdout, stderr } = await cli.run(['query', 'orders', '-o', 'ndjson', ...args], {
      terminal: true,
    });
    return { offsets: offsets(stdout), stderr };
  };

  it('shows the newest 20 events on a terminal, and says how to get more', async () => {
    await givenEvents(25);
    const { offsets: newest, stderr } = await shown();
    expect(newest).toEqual(numbers(5, 25));
    expect(stderr).toBe('These are the newest 20 events. --limit N shows more, and a pipe gets all.\n');
    expect((await shown('--order', 'asc')).offsets).toEqual(numbers(0, 20));
    expect((await shown('--order', 'desc')).offsets).toEqual(numbers(5, 25).toReversed());
    expect(await shown('--limit', '25')).toEqual({ offsets: numbers(0, 25), stderr: '' });
    expect(await shown('--since', '2026-11-21T04:00:15Z')).toEqual({ offsets: numbers(15, 25), stderr: '' });
  });

  it('says on standard error that there is no event', async () => {
    expect(await cli.run(['query', 'orders'])).toEqual({ code: 0, stdout: '', stderr: '0 events\n' });
    expect((await cli.run(['query', 'orders'], { terminal: true })).stderr).toBe('0 events\n');
  });

  it.each([['query'], ['query', '--limit', '5'], ['count']])(
    'says on standard error which member of --where no event has: %s',
    async (command, ...options) => {
      await givenEvents(2);
      const args = [command, 'orders', ...options, '--where', 'event.data.prize > 1'];
      const { code, stderr } = await cli.run(args, { terminal: true });
      expect(code).toBe(0);
      expect(stderr).toMatch(/^0 events\nNone of the 2 events .* Did you mean event\.data\.price\? .*\n$/);
    },
  );
});

describe('lag --over', () => {
  it('shows what each job has done in that time, as far as it was measured', async () => {
    await givenDefinitions(projection);
    const history = gateway.nest.get(JobHistory, { strict: false });
    const job = { job: 'projection:p', streams: ['orders'] };
    const now = Date.now();
    for (const [minutes, processed] of [0, 60, 180].entries()) {
      const at = now + (minutes - 2) * 60_000;
      history.addTotals(job, { owner: 'a', processed, failed: minutes }, at);
      history.addLag(job, { lag_events: 9 - minutes, lag_seconds: 0.5 }, at);
    }
    const { stdout, code } = await cli.run(['lag', '--over', '1h', '-o', 'ndjson']);
    const nothing = { per_second: null, failed: null, most_lag: null, most_seconds: null };
    expect([code, jsonLines(stdout)]).toEqual([
      0,
      [
        { job: 'materializer', ...nothing },
        { job: 'projection:p', per_second: 1.5, failed: 2, most_lag: 9, most_seconds: 0.5 },
      ],
    ]);
  });
});

describe('produce', () => {
  it.each(['', '\n\n'])('says that %j has no event, and exits with 1', async (input) => {
    const { code, stderr } = await cli.run(['produce', 'orders', '--type', 't'], { input });
    expect([code, stderr]).toEqual([1, 'No event was read: write one JSON object per line.\n']);
  });
});

describe('an error of a definition', () => {
  it('has its path once', async () => {
    const file = join(cli.folder, 'wrong.yaml');
    writeFileSync(file, projection.replace('op: count', 'op: sum, value: "event."'));
    const { code, stderr } = await cli.run(['apply', '-f', file]);
    expect([code, stderr.split('/fields/n/value').length - 1]).toEqual([3, 1]);
  });
});
