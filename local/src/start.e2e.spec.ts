import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openKafkaLog } from '#kafka';
import { askClickHouse, testsAll } from '#testkit';
import { freePort } from './engine/free-port.js';
import { root } from './kafka/jars.js';
import { isRunning, type ProcessIdentity } from './process-identity.js';
import { portNames } from './settings.js';

const startTimeout = 240_000;

const script = [process.execPath, 'local/start.mjs'] as const;

/** One `npm start` and its output. */
class Start {
  private readonly child: ChildProcess;
  private readonly exit: Promise<number | null>;
  output = '';

  constructor(env: NodeJS.ProcessEnv, [command, ...args]: readonly [string, ...string[]] = script) {
    // A process group of its own, like that of a command in a terminal.
    this.child = spawn(command, args, { cwd: root, env, detached: true });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    }
    this.exit = once(this.child, 'close').then(([code]) => code as number | null);
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Waits until the system runs. @throws with all output if it ends instead. */
  async up(): Promise<void> {
    const isUp = (): boolean => this.output.includes('Ctrl-C stops everything');
    const seen = vi.waitUntil(isUp, { timeout: startTimeout, interval: 100 });
    const ended = this.exit.then(() => Promise.reject(new Error(this.output)));
    await Promise.race([seen, ended]);
  }

  /** The printed commands that a user can paste. */
  get commands(): string[] {
    return this.output.split('\n').filter((line) => line.startsWith('  curl '));
  }

  /** Sends SIGINT to npm and to the process that npm started, as a terminal does. */
  ctrlC(): Promise<number | null> {
    process.kill(-this.pid, 'SIGINT');
    return this.exit;
  }

  end(signal?: NodeJS.Signals): Promise<number | null> {
    if (signal) this.child.kill(signal);
    return this.exit;
  }
}

async function paste(command: string | undefined): Promise<string> {
  const { stdout } = await promisify(execFile)('sh', ['-c', command ?? 'exit 1']);
  return stdout;
}

/** Returns the lines of the page that back up and restore the definitions. */
function programLines(page: string): { export: string; import: string } {
  const lines = page.split('\n').map((line) => line.trim());
  const of = (command: string): string =>
    lines.find((line) => line.startsWith(`node dist/apps/gateway/src/definitions-file.js ${command} `)) ?? '';
  return { export: `mkdir -p backup\n${of('export')}`, import: of('import') };
}

describe('npm start', () => {
  let folder: string;
  /** The folder in which a user runs commands. */
  let work: string;
  let lines: { settings: string; export: string; import: string };
  let env: NodeJS.ProcessEnv;
  let hookPort: number;
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  let running: Start;
  let read: string | undefined;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-start-'));
    work = await mkdtemp(join(tmpdir(), 'tributary-work-'));
    env = { ...process.env, KAFKA_BROKERS: '', CLICKHOUSE_URL: '', TRIBUTARY_DATA_DIR: folder };
    // Each broker runs for some seconds: Java need not compile for a long run.
    env.JDK_JAVA_OPTIONS = '-XX:TieredStopAtLevel=1';
    hookPort = await freePort();
    for (const name of portNames) env[name] = String(await freePort());
    env.LOCAL_WEBHOOKS = 'true';
    env.WEBHOOK_SECRETS = JSON.stringify({ shop: { value: secret, hosts: [`localhost:${hookPort}`] } });
    running = new Start(env);
    await running.up();
  }, startTimeout);
  afterAll(async () => {
    await running.end('SIGKILL');
    await vi.waitUntil(async () => (await alive()).length === 0, { timeout: 100_000 });
    for (const made of [folder, work]) await rm(made, { recursive: true, force: true });
  });

  let processes: ProcessIdentity[] = [];
  const recordProcesses = async (): Promise<void> => {
    const text = await readFile(join(folder, 'processes.json'), 'utf8');
    processes = JSON.parse(text) as ProcessIdentity[];
  };
  const alive = async (): Promise<number[]> => {
    const states = await Promise.all(processes.map(isRunning));
    return processes.filter((_, i) => states[i]).map(({ pid }) => pid);
  };

  it('prints a command that writes an event, and one that reads it back', async () => {
    const [write, query] = running.commands;
    read = query;
    expect(JSON.parse(await paste(write))).toMatchObject({ stream: 'greetings' });
    await expect.poll(() => paste(read)).toContain('"text":"Hello"');
  });

  it('posts webhooks to a receiver on this machine that verifies them, with the blocks of the page of webhooks', async () => {
    const page = await readFile(join(root, 'docs', 'webhooks.md'), 'utf8');
    const [, receiver = ''] = /```js\n([^]*?)```/.exec(page) ?? [];
    const [, commands = ''] = /```sh\n([^]*?)```/.exec(page) ?? [];
    const started = spawn(process.execPath, ['--input-type=module', '-e', receiver], {
      cwd: root,
      env: { PATH: process.env.PATH, SHOP_SECRET: secret, PORT: String(hookPort) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let received = '';
    started.stdout.on('data', (text: Buffer) => (received += text.toString()));
    try {
      await paste(
        commands
          .replaceAll('127.0.0.1:3900', `127.0.0.1:${env.GATEWAY_CORE_PORT}`)
          .replaceAll('localhost:8080', `localhost:${hookPort}`),
      );
      await expect.poll(() => received, { timeout: 60_000 }).toMatch(/^[0-9a-f-]{36} \{ amount: 30 \}$/m);
    } finally {
      started.kill();
    }
  });

  it.each(portNames)('posts no webhooks to %s of its own', async (name) => {
    const definition = {
      name: 'to_itself',
      source: { streams: ['orders'] },
      operators: [{ webhook: { url: `http://127.0.0.1:${env[name]}/api/v1/keys`, secret_ref: 'shop' } }],
    };
    const answer = await fetch(`http://127.0.0.1:${env.GATEWAY_CORE_PORT}/api/v1/pipelines`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(definition),
    });
    expect([answer.status, await answer.text()]).toEqual([
      400,
      expect.stringContaining('WEBHOOK_FORBIDDEN_PORTS'),
    ]);
  });

  it('is refused a second time on the same folder, with a command that works', async () => {
    const second = new Start(env);
    expect(await second.end()).toBe(1);
    expect(second.output).toMatch(
      new RegExp(
        `${folder} is in use by process ${running.pid}, [^]*TRIBUTARY_DATA_DIR=${folder}-2 .*INGEST_PORT=\\d+.* npm start`,
      ),
    );
    expect(await paste(read)).toContain('"text":"Hello"');
  });

  it("lets only the owner read the data folder and the engines' passwords", async () => {
    const modes = ['', 'clickhouse/password', 'kafka/password', 'kafka/server.properties', 'api-key'].map(
      async (path) => ((await stat(join(folder, path))).mode & 0o777).toString(8),
    );
    expect(await Promise.all(modes)).toEqual(['700', '600', '600', '600', '600']);
  });

  it('refuses engine requests from users who cannot read the data folder', async () => {
    const url = `http://127.0.0.1:${env.CLICKHOUSE_PORT}`;
    const count = 'SELECT count() > 0 FROM tributary.events';
    expect((await askClickHouse({ clickhouseUrl: url, clickhousePassword: '' }, count)).status).toBe(403);
    const kept = (await readFile(join(folder, 'clickhouse', 'password'), 'utf8')).trim();
    const answer = await askClickHouse({ clickhouseUrl: url, clickhousePassword: kept }, count);
    expect(await answer.text()).toBe('1\n');
    const kafka = openKafkaLog({
      brokers: [`127.0.0.1:${env.KAFKA_PORT}`],
      clientId: 'test',
      replicationFactor: 1,
    });
    await expect(kafka.admin.ping()).rejects.toThrow();
    await kafka.close();
  });

  it('shows no password, neither in its output nor in the process list', async () => {
    const { stdout: commands } = await promisify(execFile)('ps', ['-eo', 'args'], { maxBuffer: 16 << 20 });
    expect(commands).toContain(folder);
    for (const engine of ['clickhouse', 'kafka']) {
      const kept = (await readFile(join(folder, engine, 'password'), 'utf8')).trim();
      expect(commands).not.toContain(kept);
      expect(running.output).not.toContain(kept);
    }
  });

  /** Runs lines of docs/operations.md in a folder that contains `dist` and `.tributary`. */
  const runLines = async (lines: string): Promise<string> => {
    const command = lines.replaceAll('9092', env.KAFKA_PORT!);
    const options = { cwd: work, env: { PATH: process.env.PATH } };
    const { stderr } = await promisify(execFile)(
      'bash',
      ['--norc', '-euo', 'pipefail', '-c', command],
      options,
    );
    return stderr;
  };

  it('lets its definitions be backed up with the lines of the page of operations, which name its password', async () => {
    for (const name of ['dist', 'package.json']) await symlink(join(root, name), join(work, name));
    await symlink(folder, join(work, '.tributary'));
    const page = await readFile(join(root, 'docs', 'operations.md'), 'utf8');
    const [, settings = ''] = /```\n(export KAFKA_BROKERS=.*KAFKA_SASL_MECHANISM[^`]*)```/.exec(page) ?? [];
    lines = { settings, ...programLines(page) };
    expect(await runLines(settings + lines.export)).toMatch(/^\d+ records of tributary\.definitions/);
    const backup = join(work, 'backup', 'definitions.ndjson');
    const saved = await readFile(backup, 'utf8');
    expect(saved).toContain('"key":"stream:greetings:');
    // Without the password, the command ends and the file remains.
    const refused = runLines(`export KAFKA_BROKERS=127.0.0.1:9092; ${lines.export}`);
    await expect(refused).rejects.toThrow(/does not answer: [^]*KAFKA_SASL_MECHANISM/);
    expect(await readFile(backup, 'utf8')).toBe(saved);
  });

  it('stops everything in order on Ctrl-C', async () => {
    await recordProcesses();
    expect(await alive(), running.output).toHaveLength(6);
    expect(await running.end('SIGINT')).toBe(0);
    expect(running.output).toMatch(/Stopped\.\s*$/);
    expect(running.output).not.toMatch(/died/);
    expect(await alive()).toEqual([]);
  });

  it(
    'restores its definitions while only the engines run',
    async () => {
      running = new Start(env, [...script, '--engines']);
      await running.up();
      await recordProcesses();
      expect(await alive(), running.output).toHaveLength(2);
      expect(await runLines(lines.settings + lines.import)).toMatch(/^\d+ records to tributary\.definitions/);
      expect(await running.end('SIGINT')).toBe(0);
      expect(await alive()).toEqual([]);
    },
    startTimeout,
  );

  it(
    'still has its events after a restart',
    async () => {
      running = new Start(env);
      await running.up();
      expect(await paste(read)).toContain('"text":"Hello"');
    },
    startTimeout,
  );

  it('leaves no process running when it is killed', async () => {
    await recordProcesses();
    expect(await alive(), running.output).toHaveLength(6);
    await running.end('SIGKILL');
    await expect.poll(alive, { timeout: 100_000, interval: 100 }).toEqual([]);
  });

  it(
    'stops everything in order on Ctrl-C under npm, which forwards the signal',
    async () => {
      running = new Start(env, ['npm', 'start']);
      await running.up();
      await recordProcesses();
      expect(await alive(), running.output).toHaveLength(6);
      await running.ctrlC();
      expect(running.output).toMatch(/Stopped\.\s*$/);
      expect(running.output).not.toMatch(/died|killed\./);
      expect(await alive()).toEqual([]);
      expect(existsSync(join(folder, 'processes.json.draft'))).toBe(false);
    },
    startTimeout,
  );

  // A whole system for one signal: that npm's end is noticed after either is a unit spec (npm-parent.spec.ts).
  it.each<NodeJS.Signals>(testsAll ? ['SIGKILL', 'SIGTERM'] : ['SIGKILL'])(
    'stops everything in order when its npm process ends by %s',
    async (signal) => {
      running = new Start(env, ['npm', 'start']);
      await running.up();
      await recordProcesses();
      expect(await alive(), running.output).toHaveLength(6);
      await running.end(signal);
      await expect.poll(() => running.output, { timeout: 100_000 }).toMatch(/Stopped\.\s*$/);
      expect(running.output).not.toMatch(/died|killed\./);
      expect(await alive()).toEqual([]);
    },
    startTimeout,
  );
});
