import { beforeEach, describe, expect, it } from 'vitest';
import { eventLoopLongestStall, eventLoopStalls } from '../metrics.js';
import { RecentWorkTracker } from './recent-work-tracker.js';
import { EventLoopWatchdog } from './watchdog.js';

interface Line {
  stall_ms: number;
  cpu_ms: number;
  under_way: object[];
  stalls_not_logged?: number;
}

let wall: number;
let processor: number;
let lines: Line[];
let works: RecentWorkTracker;
let watchdog: EventLoopWatchdog;

beforeEach(() => {
  [wall, processor, lines, works] = [1_000, 500, [], new RecentWorkTracker()];
  eventLoopStalls.reset();
  watchdog = new EventLoopWatchdog({
    works,
    logger: { warn: (line: object) => void lines.push(line as Line) } as never,
    wall: () => wall,
    processor: () => processor,
  });
});

/**
 * Polls the watchdog `late` milliseconds too late; of this time, the thread has used the processor for `computed`
 * milliseconds.
 */
function lookLate(late: number, computed = late): void {
  wall += 50 + late;
  processor += computed;
  watchdog.look();
}

type Values = { labels: { clock?: string | number }; value: number }[];

const byClock = (values: Values): Record<string, number> =>
  Object.fromEntries(values.map(({ labels, value }): [string, number] => [String(labels.clock), value]));

async function shown(): Promise<Record<string, number>> {
  watchdog.show();
  return byClock((await eventLoopLongestStall.get()).values);
}

async function counted(): Promise<Record<string, number>> {
  const { values } = await eventLoopStalls.get();
  return byClock(values.filter(({ metricName }) => metricName?.endsWith('_count')));
}

describe('given a watchdog of the event loop', () => {
  it('when every poll is in time, there is no stall', async () => {
    for (let i = 0; i < 10; i++) lookLate(0, 15);
    expect(await shown()).toEqual({ wall: 0, cpu: 0 });
    expect(lines).toEqual([]);
  });

  it('when the thread computes for 700 ms, both clocks show the stall, and it is counted', async () => {
    lookLate(700);
    lookLate(30);
    expect(await shown()).toEqual({ wall: 0.7, cpu: 0.7 });
    expect(await counted()).toEqual({ wall: 1, cpu: 1 });
  });

  it('when other processes use the processor, only the wall clock shows the stall', async () => {
    lookLate(700, 40);
    expect(await shown()).toEqual({ wall: 0.7, cpu: 0.04 });
    expect(await counted()).toEqual({ wall: 1 });
  });

  it('when a stall is longer than 200 ms, the log lists the work at that time, including work that just ended', () => {
    works.begin({ request: 'r-1', route: '/api/v1/events/query' });
    works.begin({ topic: 'orders', partition: 3 })();
    lookLate(150);
    expect(lines).toEqual([]);
    works.begin({ request: 'r-2', route: '/api/v1/events' })();
    lookLate(300, 280);
    expect(lines).toEqual([
      {
        ...{ stall_ms: 300, cpu_ms: 280 },
        under_way: [
          { request: 'r-2', route: '/api/v1/events' },
          { request: 'r-1', route: '/api/v1/events/query' },
        ],
      },
    ]);
  });

  it('when it stalls repeatedly, one line is logged every ten seconds, with the number of stalls that were not logged', () => {
    for (let i = 0; i < 30; i++) lookLate(450);
    expect(lines.map(({ stalls_not_logged }) => stalls_not_logged)).toEqual([undefined, 19]);
  });

  it('when five minutes have passed, the stall no longer counts', async () => {
    lookLate(700);
    wall += 6 * 60_000;
    expect((await shown()).wall).toBe(0);
  });
});
