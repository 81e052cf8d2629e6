import type { Logger } from '../logger.js';
import { eventLoopLongestStall, eventLoopStalls, onScrape } from '../metrics.js';
import { RecentMaximum } from './recent-maximum.js';
import { threadClock } from './thread-time.js';
import { underWay, type UnderWay } from './under-way.js';

/** Milliseconds between two looks: a stall is how much later than that a look comes. */
const everyMs = 50;
/** A stall longer than this is counted, and logged. */
export const stallMs = 200;
const windowMs = 5 * 60_000;
const slotMs = 10_000;
/** Milliseconds between two lines in the log. */
const quietMs = 10_000;
/** Works that a line names. */
const namedAtMost = 10;

export interface WatchdogParts {
  logger: Pick<Logger, 'warn'>;
  works: UnderWay;
  /** Milliseconds, never going back. */
  wall: () => number;
  /** Milliseconds of processor time that the thread has used. */
  processor: () => number;
}

/**
 * Measures how long the event loop stands. A look that comes late is a stall: `wall` is how late, `cpu` how much of that
 * the thread has computed itself, which does not depend on what else runs on the machine.
 */
export class EventLoopWatchdog {
  private last: { wall: number; processor: number };
  private readonly longest = {
    wall: new RecentMaximum(windowMs, slotMs),
    cpu: new RecentMaximum(windowMs, slotMs),
  };
  private saidAt = -Infinity;
  /** Stalls that no line was written for, since the last line. */
  private unsaid = 0;

  constructor(private readonly parts: WatchdogParts) {
    this.last = { wall: parts.wall(), processor: parts.processor() };
  }

  /** To be called every `everyMs`. */
  look(): void {
    const { wall, processor, works } = this.parts;
    const now = { wall: wall(), processor: processor() };
    const late = Math.max(0, now.wall - this.last.wall - everyMs);
    const computed = Math.min(late, now.processor - this.last.processor);
    this.last = now;
    this.longest.wall.observe(late, now.wall);
    this.longest.cpu.observe(computed, now.wall);
    if (computed > stallMs) eventLoopStalls.observe({ clock: 'cpu' }, computed / 1000);
    if (late > stallMs) {
      eventLoopStalls.observe({ clock: 'wall' }, late / 1000);
      this.say(late, computed);
    }
    works.look();
  }

  /** Sets the gauge to the longest stall of the last minutes. */
  show(): void {
    const now = this.parts.wall();
    for (const clock of ['wall', 'cpu'] as const)
      eventLoopLongestStall.set({ clock }, this.longest[clock].at(now) / 1000);
  }

  private say(late: number, computed: number): void {
    const { logger, works } = this.parts;
    if (this.last.wall - this.saidAt < quietMs) {
      this.unsaid++;
      return;
    }
    const { size } = works;
    logger.warn(
      {
        ...{ stall_ms: Math.round(late), cpu_ms: Math.round(computed) },
        ...{ under_way: works.latest(namedAtMost), ...(size > namedAtMost && { under_way_in_all: size }) },
        ...(this.unsaid > 0 && { stalls_not_logged: this.unsaid }),
      },
      'The event loop stood still: nothing else was answered meanwhile',
    );
    this.saidAt = this.last.wall;
    this.unsaid = 0;
  }
}

/** Watches the event loop of this process from now on; returns what ends that. It does not keep the process alive. */
export function watchEventLoop(logger: Pick<Logger, 'warn'>): () => void {
  const watchdog = new EventLoopWatchdog({
    ...{ logger, works: underWay, processor: threadClock() },
    wall: () => performance.now(),
  });
  const timer = setInterval(() => watchdog.look(), everyMs).unref();
  const forget = onScrape(() => watchdog.show());
  return () => {
    clearInterval(timer);
    forget();
  };
}
