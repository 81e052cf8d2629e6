import type { Logger } from '../logger.js';
import { onScrape } from '../metrics.js';
import { eventLoopLongestStall, eventLoopStalls } from './event-loop-metrics.js';
import { SlidingMaximum } from './sliding-maximum.js';
import { threadClock } from './thread-time.js';
import { activeWork, type ActiveWork } from './active-work.js';

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
  works: ActiveWork;
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
  private saidAt = -Infinity;
  /** Number of stalls since the last log line, which were not logged. */
  private unsaid = 0;

  constructor(private readonly parts: WatchdogDependencies) {
    this.last = { wall: parts.wall(), processor: parts.processor() };
  }

  /**
   * Polls the event loop: measures by how much this call is late, and counts and logs a stall. `look` must be called
   * every 50 ms.
   */
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

  /** Sets the gauge `tributary_event_loop_longest_stall_seconds` to the longest stall in the last five minutes. */
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
      'The event loop was blocked: nothing else was answered meanwhile',
    );
    this.saidAt = this.last.wall;
    this.unsaid = 0;
  }
}

/**
 * Watches the event loop of this process. Returns a function that ends the watch. The timer does not keep the process
 * alive.
 */
export function watchEventLoop(logger: Pick<Logger, 'warn'>): () => void {
  const watchdog = new EventLoopWatchdog({
    ...{ logger, works: activeWork, processor: threadClock() },
    wall: () => performance.now(),
  });
  const timer = setInterval(() => watchdog.look(), everyMs).unref();
  const forget = onScrape(() => watchdog.show());
  return () => {
    clearInterval(timer);
    forget();
  };
}
