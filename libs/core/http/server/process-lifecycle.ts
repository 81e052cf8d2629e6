import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '#telemetry';

/** Share of the shutdown time that HTTP ports may use for requests in flight. */
const shareOfPorts = 0.6;

/** The shutdown of the process began during its start, for example while its app waited for Kafka or ClickHouse. */
export class ShutdownWhileWaitingError extends Error {
  override readonly name = 'ShutdownWhileWaitingError';
}

/** A step of the shutdown of a process. The signal `deadline` is aborted when the time for the step is over. */
interface ShutdownStep {
  name: string;
  run: (deadline: AbortSignal) => Promise<void>;
}

/**
 * The start and the orderly shutdown of one process. At the start, the steps of `onStart` run one after the other. At
 * the shutdown, HTTP ports stop first, then the steps of `onStop` run in the reverse order: what was opened last closes
 * first. A shutdown step that fails is logged, and the next one runs.
 */
export class ProcessLifecycle {
  private readonly starts: (() => Promise<void>)[] = [];
  private readonly ports: ShutdownStep[] = [];
  private readonly steps: ShutdownStep[] = [];
  private readonly lastSteps: ShutdownStep[] = [];
  private readonly controller = new AbortController();
  private stopped: Promise<void> | undefined;
  /** True from the end of the app's `start` until the shutdown begins. `runApp` sets it. */
  running = false;

  constructor(
    private readonly logger: Logger,
    private readonly seconds = 25,
  ) {}

  /** Signal that is aborted when the shutdown begins. Waits and retries end then. */
  get stopping(): AbortSignal {
    return this.controller.signal;
  }

  /** Adds a step of the start, which runs once the HTTP ports listen. */
  onStart(run: () => Promise<void>): void {
    this.starts.push(run);
  }

  /**
   * Runs the steps of the start. @throws the error of the first step that fails, and ShutdownWhileWaitingError when the
   * shutdown begins; the steps after it do not run
   */
  async start(): Promise<void> {
    for (const run of this.starts) {
      if (this.stopping.aborted) throw new ShutdownWhileWaitingError('stopped during the start');
      await run();
    }
  }

  /** Adds a shutdown step that runs after the HTTP ports have stopped, or after their share of the time is over. */
  onStop(name: string, run: ShutdownStep['run']): void {
    this.steps.push({ name, run });
  }

  /** Adds a shutdown step that runs after the steps of `onStop`. */
  onStopLast(name: string, run: ShutdownStep['run']): void {
    this.lastSteps.push({ name, run });
  }

  /** Adds an HTTP port. All ports stop at the same time, before all other steps. */
  onStopPort(name: string, run: ShutdownStep['run']): void {
    this.ports.push({ name, run });
  }

  /** Runs all steps of the shutdown once. Resolves about half a second after the shutdown time at the latest. */
  stop(): Promise<void> {
    this.stopped ??= this.runSteps();
    return this.stopped;
  }

  private async runSteps(): Promise<void> {
    this.running = false;
    this.controller.abort();
    const deadline = AbortSignal.timeout(this.seconds * 1000);
    // Slow clients must not use up the time for flushing and committing.
    const portDeadline = AbortSignal.timeout(this.seconds * 1000 * shareOfPorts);
    await Promise.all(this.ports.map((port) => this.runStep(port, portDeadline)));
    for (const step of [...this.steps.reverse(), ...this.lastSteps]) await this.runStep(step, deadline);
  }

  private async runStep(step: ShutdownStep, deadline: AbortSignal): Promise<void> {
    const began = performance.now();
    try {
      await Promise.race([step.run(deadline), overdue(deadline)]);
      this.logger.debug({ step: step.name, ms: Math.round(performance.now() - began) }, 'stopped');
    } catch (error) {
      this.logger.error({ step: step.name, err: error }, 'shutdown step failed');
    }
  }
}

/** Rejects half a second after the deadline, so that a step that watches the deadline can end by itself. */
async function overdue(deadline: AbortSignal): Promise<never> {
  if (!deadline.aborted) await once(deadline, 'abort');
  await sleep(500, undefined, { ref: false });
  throw new Error('the shutdown time is over');
}
