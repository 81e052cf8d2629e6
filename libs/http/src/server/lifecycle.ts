import type { Logger } from '#telemetry';

/** The share of the time to stop that answering what is in flight may take. */
const shareOfPorts = 0.6;

/** What is done at a stop; it gets what is left of the time, as a signal. */
export type StopStep = (deadline: AbortSignal) => Promise<void>;

/**
 * The orderly end of one process. Steps run one after the other in the order in which they were added, HTTP ports
 * first whenever they were added; a step that fails is logged and the next one runs.
 */
export class Lifecycle {
  private readonly ports: { name: string; run: StopStep }[] = [];
  private readonly steps: { name: string; run: StopStep }[] = [];
  private readonly lastSteps: { name: string; run: StopStep }[] = [];
  private readonly controller = new AbortController();
  private stopped: Promise<void> | undefined;
  /** True from the end of `start` to the beginning of the stop. */
  running = false;

  constructor(
    private readonly logger: Logger,
    private readonly seconds = 25,
  ) {}

  /** Aborted when the stop begins: waiting and retrying end then. */
  get stopping(): AbortSignal {
    return this.controller.signal;
  }

  /** Closes something at the stop, after the HTTP ports have answered what was in flight. */
  onStop(name: string, run: StopStep): void {
    this.steps.push({ name, run });
  }

  /** Closes something at the stop, after everything else. */
  onStopLast(name: string, run: StopStep): void {
    this.lastSteps.push({ name, run });
  }

  /** Closes an HTTP port at the stop; all of them at once, before everything else. */
  onStopPort(name: string, run: StopStep): void {
    this.ports.push({ name, run });
  }

  /** Runs all steps, once; further calls wait for the first. Resolves within the time allowed. */
  stop(): Promise<void> {
    this.stopped ??= this.runSteps();
    return this.stopped;
  }

  private async runSteps(): Promise<void> {
    this.running = false;
    this.controller.abort();
    const deadline = AbortSignal.timeout(this.seconds * 1000);
    // Slow clients may not use up the time that flushing and committing need.
    const portDeadline = AbortSignal.timeout(this.seconds * 1000 * shareOfPorts);
    await Promise.all(this.ports.map((port) => this.runStep(port, portDeadline)));
    for (const step of [...this.steps, ...this.lastSteps]) await this.runStep(step, deadline);
  }

  private async runStep(step: { name: string; run: StopStep }, deadline: AbortSignal): Promise<void> {
    const began = performance.now();
    try {
      await Promise.race([step.run(deadline), overdue(deadline)]);
      this.logger.debug({ step: step.name, ms: Math.round(performance.now() - began) }, 'stopped');
    } catch (error) {
      this.logger.error({ step: step.name, err: error }, 'did not stop in order');
    }
  }
}

/** Rejects a little after the deadline: a step that watches it ends by itself. */
function overdue(deadline: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = (): void => {
      setTimeout(() => reject(new Error('the time to stop is over')), 500).unref();
    };
    if (deadline.aborted) fail();
    else deadline.addEventListener('abort', fail, { once: true });
  });
}
