import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { metricsText, eventLoopStalls } from '#telemetry';
import { CostMeter } from './cost-meter.js';

let server: Server;
let meter: CostMeter;

/** Reports to the watchdog's metrics that the event loop was blocked for this time. */
function stall(ms: number): void {
  eventLoopStalls.observe({ clock: 'cpu' }, ms / 1000);
}

beforeEach(async () => {
  server = createServer((_, answer) => void metricsText().then((text) => answer.end(text)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const app = { name: 'app', probeUrl: `http://127.0.0.1:${port}`, log: () => '', pid: process.pid };
  meter = new CostMeter([app]);
});
afterEach(() => server.close());

describe('the stalls of a process', () => {
  it('are counted from `begin`, without earlier ones', async () => {
    stall(1900);
    await meter.begin();
    expect(await meter.stalls()).toEqual([]);
    stall(900);
    expect(await meter.stalls()).toEqual([expect.stringContaining('app: its event loop stood 1 times')]);
  });

  it('are accepted if they are short', async () => {
    await meter.begin();
    stall(300);
    stall(790);
    expect(await meter.stalls()).toEqual([]);
  });
});

/**
 * An app of the cost suite. On a message it allocates 400 MB in pieces of 4 MB, one in each turn. It holds the first
 * `held` of them to the end, and the others for eight turns, so that V8 moves them to its old generation.
 */
const allocating = `
  const pieces = [];
  const recent = [];
  process.on('message', async ({ held }) => {
    for (let i = 0; i < 100; i++) {
      const piece = kind === 'texts' ? [...'x'.repeat(80_000)].map((x, n) => x + n) : Buffer.alloc(4e6, 1);
      if (i < held) pieces.push(piece);
      recent[i % 8] = piece;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    process.send(pieces.length);
  });
  process.send('ready');`;

describe.skipIf(process.platform !== 'linux')('the memory of a process', () => {
  const plant = pathToFileURL('dist/test/plant-garbage-collection.js').href;
  let app: ChildProcess;
  afterEach(() => app.kill());

  async function growthOf(kind: 'texts' | 'bytes', held: number): Promise<string[]> {
    const program = `const kind = '${kind}';${allocating}`;
    app = spawn(process.execPath, [`--import=${plant}`, '--input-type=module', '-e', program], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    await once(app, 'message');
    meter = new CostMeter([{ name: 'app', probeUrl: '', log: () => '', pid: app.pid! }]);
    meter.beginMemory();
    app.send({ held });
    expect(await once(app, 'message')).toEqual([held, undefined]);
    return meter.growth();
  }

  it.each(['texts', 'bytes'] as const)('may have 400 MB of garbage: %s', async (kind) => {
    expect(await growthOf(kind, 0)).toEqual([]);
  });

  it.each(['texts', 'bytes'] as const)('may not hold 200 MB: %s', async (kind) => {
    expect(await growthOf(kind, 50)).toEqual([expect.stringMatching(/^app: grew by \d+ MB$/)]);
  });
});
