import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { testsAll, until } from '#testkit';
import { freshStream, path, waitFor, type ReadEvent, type SingleWriteAnswer } from './api.js';
import { useSharedStack } from './use-stack.js';

const system = useSharedStack();

/** A proxy before the query port, which harms the first answers that it is told to harm. */
class FlakyProxy {
  /** The bodies of the writes that arrived, and the statuses of the answers that it dropped. */
  readonly bodies: string[] = [];
  readonly dropped: number[] = [];
  /** The `Last-Event-ID` of each live stream that was opened. */
  readonly positions: (string | undefined)[] = [];
  private harms: ('drop' | 'refuse')[] = ['drop', 'refuse'];
  private cuts = 1;
  private readonly server: Server;

  constructor(private readonly target: string) {
    this.server = createServer((incoming, answer) => {
      // A client that was killed.
      answer.on('error', () => undefined);
      this.handle(incoming, answer).catch(() => answer.destroy());
    });
  }

  async start(): Promise<string> {
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async handle(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const isLive = incoming.url?.startsWith('/api/v1/events/stream') ?? false;
    const harm = incoming.method === 'POST' ? this.harms.shift() : undefined;
    if (incoming.method === 'POST') this.bodies.push(body.toString());
    if (isLive) this.positions.push(incoming.headers['last-event-id'] as string | undefined);
    if (harm === 'refuse') {
      answer.writeHead(503, { 'retry-after': '1' }).end('busy');
      return;
    }
    const { method, headers } = incoming;
    const forwarded = request(`${this.target}${incoming.url}`, { method, headers }, (from) => {
      if (harm === 'drop') {
        this.dropped.push(from.statusCode ?? 0);
        answer.destroy();
        return;
      }
      answer.writeHead(from.statusCode ?? 0, from.headers);
      if (isLive)
        from.on('data', (chunk: Buffer) => this.passOn(chunk, answer)).on('end', () => answer.end());
      else from.pipe(answer);
    });
    answer.on('close', () => forwarded.destroy());
    forwarded.on('error', () => answer.destroy());
    forwarded.end(body);
  }

  /** Passes on a part of a live stream. Cuts the first one in the middle of an event. */
  private passOn(chunk: Buffer, answer: ServerResponse): void {
    const cut = this.cuts > 0 ? chunk.lastIndexOf('"data":') : -1;
    if (cut < 0) answer.write(chunk);
    else {
      this.cuts--;
      answer.write(chunk.subarray(0, cut), () => answer.destroy());
    }
  }
}

interface Result {
  code: number | null;
  stdout: string;
  stderr: string;
}
type Program = 'write' | 'read' | 'tail';

/** The environment of the examples: what the shell has, the address, and the key of the tests. */
function environment(url: string, env: Record<string, string> = {}): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  return {
    ...{ PATH, HOME, PYTHONDONTWRITEBYTECODE: '1' },
    ...{ TRIBUTARY_URL: url, TRIBUTARY_KEY: system().key, ...env },
  };
}

async function ended(child: ChildProcess, input = ''): Promise<Result> {
  let [stdout, stderr] = ['', ''];
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdin?.end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}

const linesOf = <T>(text: string): T[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T);
const numbersOf = (events: ReadEvent[]) => events.map(({ data }) => data.n as number);
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);
const sorted = (numbers: number[]) => numbers.toSorted((a, b) => a - b);

const folder = mkdtempSync(join(tmpdir(), 'tributary-languages-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The build of the Go programs uses no network, and the cache of `npm run check:deploy`. */
const goEnv = { GOFLAGS: '-mod=mod', GOPROXY: 'off', GOTOOLCHAIN: 'local', CGO_ENABLED: '0' };

const languages = [
  {
    language: 'Python',
    exists: spawnSync('python3', ['--version']).status === 0,
    prepare: () => Promise.resolve(),
    command: (program: Program) => ['python3', resolve('examples/python', `${program}.py`)],
  },
  {
    language: 'Go',
    // Without a build cache, the build takes most of a minute of both cores.
    exists: testsAll && spawnSync('go', ['version']).status === 0,
    prepare: async () => {
      const env = { ...process.env, ...goEnv };
      const { code, stderr } = await ended(
        spawn('go', ['build', '-o', `${folder}/`, './...'], { cwd: 'examples/go', env }),
      );
      expect(code, stderr).toBe(0);
    },
    command: (program: Program) => [join(folder, program)],
  },
];

describe.each(languages)('the examples in $language', ({ language, exists, prepare, command }) => {
  let proxy: FlakyProxy;
  let url: string;
  const tails: ChildProcess[] = [];
  const stream = freshStream(language.toLowerCase());
  const position = join(folder, `${language}.position`);

  beforeAll(async () => {
    if (!exists) return;
    await prepare();
    proxy = new FlakyProxy(system().urls.query);
    url = await proxy.start();
  });
  afterEach(() => {
    for (const child of tails.splice(0)) child.kill('SIGKILL');
  });
  afterAll(() => proxy?.stop());

  const start = (program: Program, args: string[], env: NodeJS.ProcessEnv = environment(url)) => {
    const [file = '', ...before] = command(program);
    return spawn(file, [...before, ...args], { env });
  };
  const write = async (numbers: number[]): Promise<SingleWriteAnswer[]> => {
    const lines = numbers.map((n) => `${JSON.stringify({ n })}\n`).join('');
    const { code, stdout, stderr } = await ended(start('write', [stream, 'counted', 'counter-1']), lines);
    expect(code, stderr).toBe(0);
    return linesOf<SingleWriteAnswer>(stdout);
  };
  /** Starts a tail. Returns its events so far. */
  const tail = () => {
    const child = start('tail', [position, `stream=${stream}`, 'since=2000-01-01T00:00:00Z']);
    tails.push(child);
    let [text, errors] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    const events = () => linesOf<ReadEvent>(text.slice(0, text.lastIndexOf('\n') + 1));
    const come = (count: number) =>
      until(() => events().length >= count, {
        what: `${count} events`,
        progress: () => `${events().length} events\n${errors}`,
      });
    return { child, events, come, errors: () => errors };
  };
  /** Waits until the position has been the same for half a second: the tail has saved that of its last event. */
  const saved = async () => {
    let [last, since] = [0, Date.now()];
    const isStable = () => {
      const now = existsSync(position) ? statSync(position).mtimeMs : 0;
      if (now !== last) [last, since] = [now, Date.now()];
      return last > 0 && Date.now() - since > 500;
    };
    await until(isStable, { what: 'the position is saved', progress: () => last });
    return readFileSync(position, 'utf8');
  };

  it.runIf(exists)('write an event once although an answer is lost and a request is refused', async () => {
    const written = await write(upTo(5));
    expect(proxy.dropped).toEqual([201]);
    // The first event was sent three times, with the same bytes and therefore the same id.
    expect(proxy.bodies).toHaveLength(7);
    expect(new Set(proxy.bodies.slice(0, 3)).size).toBe(1);
    expect(new Set(written.map(({ event_id: id }) => id)).size).toBe(5);
    const [first] = written;
    expect(JSON.parse(proxy.bodies[0] ?? '')).toMatchObject({ event_id: first?.event_id, stream });

    // Pages of two.
    const wait = waitFor(written).map((pair) => pair.join('='));
    const read = await ended(start('read', [`stream=${stream}`, 'limit=2', ...wait]));
    expect(read.code, read.stderr).toBe(0);
    const events = linesOf<ReadEvent>(read.stdout);
    expect(numbersOf(events)).toEqual(upTo(5));
    expect(events.map(({ version }) => version)).toEqual([1, 2, 3, 4, 5]);
    const count = await system().core.get(path('/api/v1/events/count', { stream }));
    expect(count.json()).toMatchObject({ total: 5 });
  });

  it.runIf(exists)(
    'follow events over a cut connection and a kill, and print each of them once',
    async () => {
      const before = tail();
      await before.come(5);
      const reached = await saved();
      expect(before.errors()).toMatch(/^Reconnecting in /);
      before.child.kill('SIGKILL');
      await once(before.child, 'close');
      expect(sorted(numbersOf(before.events()))).toEqual(upTo(5));

      await write(upTo(10).slice(5));
      const after = tail();
      await after.come(5);
      await write([10]);
      await after.come(6);
      expect(await saved()).not.toBe(reached);
      expect(sorted(numbersOf(after.events()))).toEqual(upTo(11).slice(5));
      // The first connection had no position; the others had that of the last event.
      expect(proxy.positions[0]).toBeUndefined();
      expect(proxy.positions.at(-1)).toBe(reached);
    },
  );

  it.runIf(exists)(
    'end with the reason when an event is rejected, or is not acknowledged in time',
    async () => {
      const rejected = await ended(start('write', ['no/stream', 'counted']), '{}\n');
      expect(rejected).toMatchObject({ code: 1, stdout: '' });
      expect(rejected.stderr).toMatch(/^line 1 is rejected: 400 invalid_request: /i);
      const away = environment('http://127.0.0.1:1', { TRIBUTARY_RETRY_SECONDS: '0.3' });
      const unanswered = await ended(start('write', [stream, 'counted'], away), '{}\n');
      expect(unanswered).toMatchObject({ code: 1, stdout: '' });
      expect(unanswered.stderr).toMatch(/^line 1: no acknowledgement of [0-9a-f-]{36} in .*refused/i);
      const wrongKey = environment(url, { TRIBUTARY_KEY: 'trb_wrong' });
      const refused = await ended(start('tail', [`${position}.wrong`, `stream=${stream}`], wrongKey));
      expect(refused.code).toBe(1);
      expect(refused.stderr).toMatch(/401 invalid_token/);
    },
  );
});
