import type { Logger } from '../logger.js';
import { onScrape, eventLoopLongestStall, eventLoopStalls } from '../metrics.js';
import { activeWork, type RecentWorkTracker } from './recent-work-tracker.js';
import { openSync, readSync } from 'node:fs';

/** Milliseconds between two polls of the event loop. A stall is the time by which a poll is late. */
const everyMs = 50;
/** Milliseconds; longer stalls of the event loop are counted and logged. */
export const stallMs = 200;
const windowMs = 5 * 60_000;
const slotMs = 10_000;
/** Minimum milliseconds between two log lines about stalls of the event loop. */
const quietMs = 10_000;
/** Maximum number of units of work that a log line about a stall names. */
const namedAtMost = 10;

/** What an `EventLoopWatchdog` needs: a logger, the tracker of units of work, and two clocks. */
interface WatchdogDependencies {
  logger: Pick<Logger, 'warn'>;
  works: RecentWorkTracker;
  /** Returns milliseconds of a monotonic clock. */
  wall: () => number;
  /** Returns the processor time that the thread of the event loop has used, in milliseconds. */
  processor: () => number;
}

/**
 * Measures how long the event loop is blocked. A late poll is a stall: `wall` is its delay, and `cpu` is the time
 * within it that the thread itself computed. `cpu` does not depend on other processes of the machine.
 */
export class EventLoopWatchdog {
  private last: { wall: number; processor: number };
  private readonly longest = {
    wall: new SlidingMaximum(windowMs, slotMs),
    cpu: new SlidingMaximum(windowMs, slotMs),
  };
  private reportedAt = -Infinity;
  /** Number of stalls since the last log line, which were not logged. */
  private unreported = 0;

  constructor(private readonly dependencies: WatchdogDependencies) {
    const { wall, processor } = dependencies;
    this.last = { wall: wall(), processor: processor() };
  }

  /** Measures by how much this call is late, and counts and logs a stall. `look` must be called every 50 ms. */
  look(): void {
    const { wall, processor, works } = this.dependencies;
    const now = { wall: wall(), processor: processor() };
    const late = Math.max(0, now.wall - this.last.wall - everyMs);
    const computed = Math.min(late, now.processor - this.last.processor);
    this.last = now;
    this.longest.wall.observe(late, now.wall);
    this.longest.cpu.observe(computed, now.wall);
    if (computed > stallMs) eventLoopStalls.observe({ clock: 'cpu' }, computed / 1000);
    if (late > stallMs) {
      eventLoopStalls.observe({ clock: 'wall' }, late / 1000);
      this.report(late, computed);
    }
    works.look();
  }

  /** Sets the gauge `tributary_event_loop_longest_stall_seconds` to the longest stall in the last five minutes. */
  show(): void {
    const now = this.dependencies.wall();
    for (const clock of ['wall', 'cpu'] as const)
      eventLoopLongestStall.set({ clock }, this.longest[clock].at(now) / 1000);
  }

  private report(late: number, computed: number): void {
    const { logger, works } = this.dependencies;
    if (this.last.wall - this.reportedAt < quietMs) {
      this.unreported++;
      return;
    }
    const { size } = works;
    logger.warn(
      {
        stall_ms: Math.round(late),
        cpu_ms: Math.round(computed),
        under_way: works.latest(namedAtMost),
        ...(size > namedAtMost && { under_way_in_all: size }),
        ...(this.unreported > 0 && { stalls_not_logged: this.unreported }),
      },
      'The event loop was blocked: nothing else was answered meanwhile',
    );
    this.reportedAt = this.last.wall;
    this.unreported = 0;
  }
}

/** Watches the event loop without keeping the process alive. Returns a function that ends the watch. */
export function watchEventLoop(logger: Pick<Logger, 'warn'>): () => void {
  const watchdog = new EventLoopWatchdog({
    logger,
    works: activeWork,
    processor: threadClock(),
    wall: () => performance.now(),
  });
  const timer = setInterval(() => watchdog.look(), everyMs).unref();
  const forget = onScrape(() => watchdog.show());
  return () => {
    clearInterval(timer);
    forget();
  };
}

/**
 * The largest value that was observed in a sliding time window. Reading does not reset it, so several Prometheus
 * scrapers see the same value. The covered time is up to one slot shorter than the window.
 */
export class SlidingMaximum {
  private readonly slots: { start: number; maximum: number }[] = [];

  constructor(
    private readonly windowMs: number,
    private readonly slotMs: number,
  ) {}

  /** Adds a value. @param at Milliseconds of a monotonic clock */
  observe(value: number, at: number): void {
    const start = at - (at % this.slotMs);
    const last = this.slots.at(-1);
    if (last?.start === start) last.maximum = Math.max(last.maximum, value);
    else this.slots.push({ start, maximum: value });
    this.forget(at);
  }

  /** Returns the largest value observed in the window that ends at `now`; 0 if there is none. */
  at(now: number): number {
    this.forget(now);
    return this.slots.reduce((largest, { maximum }) => Math.max(largest, maximum), 0);
  }

  private forget(now: number): void {
    while (this.slots[0] && this.slots[0].start + this.windowMs <= now) this.slots.shift();
  }
}

/**
 * Returns a clock of the processor time that the main thread has used, in milliseconds. The clock stands still while
 * the thread waits or is stopped, and while other processes use the processor.
 *
 * Linux provides it in `/proc/self/task/<thread>/schedstat`: `<ns on the processor> <ns waiting for it> <time slices>`;
 * the main thread's id is the process id. On other systems it is the time of the whole process, which is an upper
 * bound.
 */
export function threadClock(): () => number {
  try {
    const file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
    const text = Buffer.alloc(128);
    const read = (): number =>
      Number.parseInt(text.toString('latin1', 0, readSync(file, text, 0, 128, 0)), 10) / 1e6;
    if (read() > 0) return read;
  } catch {
    // Not Linux, or a kernel without scheduler statistics.
  }
  return () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  };
}
