import type { Consumer } from '#kafka';

/** Milliseconds within which several calls for the same topic cause one reassignment. */
const reassignMs = 100;

/**
 * Asks a consumer to reassign topics, so that it releases their partitions and opens them again. Requests for the same
 * topic within 100 ms are combined.
 */
export class ReassignRequestDebouncer {
  private readonly timers = new Map<string, NodeJS.Timeout>();

  constructor(private readonly consumer: Pick<Consumer, 'reassign'>) {}

  soon(topic: string): void {
    if (this.timers.has(topic)) return;
    const reassign = (): void => {
      this.timers.delete(topic);
      this.consumer.reassign(topic);
    };
    this.timers.set(topic, setTimeout(reassign, reassignMs));
  }

  stop(): void {
    for (const timer of this.timers.values()) clearTimeout(timer);
  }
}
