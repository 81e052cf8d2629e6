import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { metrics, metricsText } from '#telemetry';
import { CostMeter } from './cost-meter.js';

let server: Server;
let meter: CostMeter;

/** Reports to the watchdog's metrics that the event loop was blocked for this time. */
function stall(ms: number): void {
  metrics.eventLoopStalls.observe({ clock: 'cpu' }, ms / 1000);
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
