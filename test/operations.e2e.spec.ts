import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { freshStream, path, queryEvents, waitFor, writeEvent, type SingleWriteAnswer } from './api.js';
import { forgetProgress } from './topics.js';
import { useStack } from './use-stack.js';

/** The id windows are small, so that after the loss no repetition is recognized by a window of a reader. */
const system = useStack({ processors: 1, env: { DEDUPE_WINDOW_RECORDS: '3' } });
const run = promisify(execFile);

/** Returns the `sh` blocks of a section of the guide, unchanged. */
function commandsOf(heading: string): string {
  const sections = readFileSync('docs/operations.md', 'utf8').split(/^## /m);
  const section = sections.find((text) => text.startsWith(`${heading}\n`)) ?? '';
  const blocks = [...section.matchAll(/^( *)```sh\n([\s\S]*?)^ *```$/gm)];
  expect(blocks.length).toBeGreaterThan(0);
  return blocks.map(([, , block]) => block).join('\n');
}

/** Runs commands in `folder`, which contains `dist` like the image. */
async function inShell(folder: string, commands: string): Promise<string> {
  const { brokers, clickhouseUrl, clickhousePassword, prefix, database } = system();
  const ended = run('bash', ['-euo', 'pipefail', '-c', commands], {
    cwd: folder,
    env: {
      PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
      KAFKA_BROKERS: brokers,
      KAFKA_TOPIC_PREFIX: prefix,
      CLICKHOUSE_URL: clickhouseUrl,
      CLICKHOUSE_DATABASE: database,
      CLICKHOUSE_USER: 'tributary',
      CLICKHOUSE_PASSWORD: clickhousePassword,
    },
    timeout: 240_000,
  });
  const { stdout } = await ended.catch((error: Error & { stdout: string; stderr: string }) => {
    // What the commands have printed comes first, because it says why they failed.
    error.message = `${error.stdout}${error.stderr}${error.message}`;
    throw error;
  });
  return stdout;
}

/** Returns the command of the line for a crontab, without its schedule. */
function crontabLine(): string {
  const [, command] =
    /^```crontab\n17 3 \* \* \* (.+)\n```$/m.exec(readFileSync('docs/operations.md', 'utf8')) ?? [];
  return command ?? expect.fail('no line for a crontab');
}

/** `kubectl` on one machine: `exec` runs the program here, with `backups` as the mounted volume, and every call is noted. */
const kubectl = `#!/bin/bash
echo "$*" >> kubectl.calls
[ "$1" = get ] && echo pod/tributary-gateway-1
[ "$1" = exec ] || exit 0
while [ "$1" != -- ]; do shift; done
shift
exec "\${@/#\\/backup/backups}"
`;

async function write(stream: string, count: number): Promise<SingleWriteAnswer[]> {
  const written: SingleWriteAnswer[] = [];
  for (let n = 0; n < count; n++) {
    const event = { stream, event_type: 'sold', entity_id: `e-${n % 3}`, data: { amount: n } };
    written.push(await writeEvent(system().core, event));
  }
  return written;
}

/** Returns the answers of all read routes, when they include all of `written`. */
async function answersOf(stream: string, written: SingleWriteAnswer[] = []) {
  const { core } = system();
  const wait = written.length > 0 ? waitFor(written) : {};
  await expect
    .poll(async () => (await core.get(path('/api/v1/events/query', { stream, limit: '1' }, wait))).status)
    .toBe(200);
  const { events } = await queryEvents(core, { stream, limit: '1000' });
  const answer = async (route: string, pairs = {}) => {
    const shown = (await core.get(path(route, pairs))).json<Record<string, unknown>>();
    // These members describe the log and when it was read, not what is stored.
    for (const member of ['id_window_seconds', 'bytes', 'lag', 'lag_seconds']) delete shown[member];
    return shown;
  };
  const states = async () => {
    const found = await core.get(path(`/api/v1/projections/${stream}/state`, {}, wait));
    expect(found.status, found.text).toBe(200);
    return found.json<{ states: { key: string; state: object }[] }>();
  };
  // A projection has to be built first.
  await expect.poll(async () => (await core.get(`/api/v1/projections/${stream}/state`)).status).toBe(200);
  return {
    events,
    count: await answer('/api/v1/events/count', { stream, group_by: 'entity_id' }),
    stream: await answer(`/api/v1/streams/${stream}`),
    schemas: await answer('/api/v1/schemas'),
    keys: await answer('/api/v1/keys'),
    states: await states(),
  };
}

/** Returns the events that a pipeline has emitted, when it has processed this number of events. */
async function emittedBy(pipeline: string, { to, processed }: { to: string; processed: number }) {
  const shown = async () => (await system().core.get(`/api/v1/pipelines/${pipeline}`)).json<object>();
  await expect.poll(shown).toMatchObject({ status: 'running', processed, lag: 0 });
  const count = async () => {
    const answer = await system().core.get(path('/api/v1/events/count', { stream: to }));
    return answer.json<{ total: number }>().total;
  };
  await expect.poll(count).toBeGreaterThanOrEqual(processed);
  return await count();
}

describe('an installation that has lost its database and its definitions', () => {
  it('restores them from backups, and later events from the log', async () => {
    const [stream, out] = [freshStream(), freshStream('out')];
    const { core, apps, gateway, materializer } = system();
    const folder = mkdtempSync(join(tmpdir(), 'tributary-operations-'));
    await run('ln', ['-s', join(process.cwd(), 'dist'), join(process.cwd(), 'package.json'), folder]);
    mkdirSync(join(folder, 'bin'));
    writeFileSync(join(folder, 'bin', 'kubectl'), kubectl, { mode: 0o755 });
    const backup = () => readFileSync(join(folder, 'backup', 'definitions.ndjson'), 'utf8');

    const before = await write(stream, 30);
    const definitions: [string, object][] = [
      ['/api/v1/schemas', { stream, event_type: 'sold', schema: { type: 'object' } }],
      ['/api/v1/keys', { name: 'shop', scopes: ['events:read'] }],
      [
        '/api/v1/projections',
        {
          name: stream,
          source: { streams: [stream] },
          key: 'event.entity_id',
          fields: { sold: { op: 'sum', value: 'event.data.amount' } },
        },
      ],
      [
        '/api/v1/pipelines',
        { name: stream, source: { streams: [stream] }, operators: [{ emit: { stream: out } }] },
      ],
    ];
    for (const [route, body] of definitions) expect((await core.post(route, body)).status).toBe(201);
    const saved = await answersOf(stream, before);
    expect(await emittedBy(stream, { to: out, processed: 30 })).toBe(30);
    await inShell(folder, commandsOf('Backing up ClickHouse'));
    await inShell(folder, commandsOf('Definitions on Kubernetes'));
    const fromPod = backup();
    await inShell(folder, commandsOf('Backups every day'));
    const daily = () => readdirSync(join(folder, 'backups'));
    expect(daily()).toEqual([expect.stringMatching(/^definitions-[\dT-]+Z\.ndjson$/)]);
    expect(readFileSync(join(folder, 'backups', daily()[0]!), 'utf8')).toBe(fromPod);
    const line = crontabLine()
      .replace('/srv/tributary', folder)
      .replace('/var/backups/tributary', join(folder, 'backups'));
    writeFileSync(join(folder, 'settings.env'), 'LOG_LEVEL=warn\n');
    // The second backup has another second in its name.
    expect(await inShell(folder, `sleep 1; sh -c '${line}'`)).toBe('');
    expect(daily()).toHaveLength(2);
    expect(await inShell(folder, `KAFKA_BROKERS=127.0.0.1:1 sh -c '${line}'`)).toMatch(/does not answer/);
    expect(daily()).toHaveLength(2);
    await inShell(folder, commandsOf('Backing up the definitions'));
    expect(backup()).toBe(fromPod);
    expect((statSync(join(folder, 'backup', 'definitions.ndjson')).mode & 0o777).toString(8)).toBe('600');
    expect(readFileSync(join(folder, 'backup', 'counts'), 'utf8')).toMatch(/^events \d{2,}$/m);

    const since = await write(stream, 10);
    const expected = await answersOf(stream, [...before, ...since]);
    expect(await emittedBy(stream, { to: out, processed: 40 })).toBe(40);
    for (const app of apps) await app.stop();
    const [drop, ...restore] = commandsOf('Restoring ClickHouse').split(/^(?= *for )/m);
    await inShell(folder, drop ?? '');
    const restored = await inShell(folder, commandsOf('Restoring the definitions on Kubernetes'));
    // The header of the file, its number of lines, and the header of what Kafka has then.
    const [, records] = /^\{"tributary_definitions":1,"records":(\d+)\}$/m.exec(restored) ?? [];
    expect(restored).toContain(`"records":${records}}\n${Number(records) + 1}\n`);
    expect(restored.trimEnd().endsWith(`"records":${records}}`), restored).toBe(true);
    expect(readFileSync(join(folder, 'kubectl.calls'), 'utf8')).toMatch(
      /^debug pod\/tributary-gateway-1 [^]*^scale [^]*^exec --stdin tributary-definitions .* import --replace$/m,
    );
    await inShell(folder, commandsOf('Backing up the definitions'));
    expect(backup()).toBe(fromPod);
    // A second import needs `--replace`, and standard output that is full is an error.
    const program = 'node dist/apps/gateway/src/definitions-file.js';
    const refused = async (command: string) => {
      const error = await inShell(folder, command).then(String, (reason: { stderr: string }) => reason);
      return (error as { stderr: string }).stderr;
    };
    expect(await refused(`${program} import --file backup/definitions.ndjson`)).toMatch(
      /already contains \d+/,
    );
    expect(await refused(`${program} export > /dev/full`)).toContain('ENOSPC');
    await inShell(folder, commandsOf('Restoring the definitions'));
    await gateway.launch().ready();
    await inShell(folder, restore.join('\n'));
    // The answers come from the backup of the store alone: the materializer has not read the log yet.
    expect(await answersOf(stream)).toEqual(saved);
    await forgetProgress(system());
    for (const app of apps) if (!app.running) app.launch();
    await Promise.all(apps.map((app) => app.ready()));

    // Positions that projections had reached before the loss count as reached until the projections have caught up.
    await expect.poll(() => answersOf(stream, [...before, ...since])).toEqual(expected);
    expect(await emittedBy(stream, { to: out, processed: 40 })).toBe(40);
    const [later] = await write(stream, 1);
    expect((await answersOf(stream, [later!])).events).toHaveLength(41);
    expect(await emittedBy(stream, { to: out, processed: 41 })).toBe(41);
    expect(materializer.running).toBe(true);
    rmSync(folder, { recursive: true });
  }, 600_000);
});
