import type { NewlyAssignedPartition, Consumer, Log, ConsumerRecord, RecordBatch } from '../log.js';

/**
 * A consumer of the log contract suite. The handler of this consumer records every assignment, record, revocation and
 * crash that it receives.
 */
export class RecordingConsumer {
  readonly records: ConsumerRecord[] = [];
  readonly assignments: NewlyAssignedPartition[] = [];
  readonly revoked: string[] = [];
  readonly crashes: Error[] = [];
  /** Partitions (`topic/partition`) whose `batch` calls have overlapped. The specs expect none. */
  readonly overlaps: string[] = [];
  private readonly active = new Set<string>();
  readonly consumer: Consumer;

  constructor(
    log: Log,
    group: string,
    private readonly behaviour: {
      from?: (assignment: NewlyAssignedPartition) => number | Promise<number>;
      onBatch?: (batch: RecordBatch, consumer: Consumer) => Promise<unknown>;
      standalone?: boolean;
    } = {},
  ) {
    this.consumer = log.consumer({
      group,
      standalone: behaviour.standalone ?? false,
      onCrash: (error) => this.crashes.push(error),
      handler: {
        assigned: async (assignment) => {
          this.assignments.push(assignment);
          return this.behaviour.from?.(assignment) ?? assignment.position;
        },
        batch: async (batch) => this.take(batch),
        revoked: ({ topic, partition }) => void this.revoked.push(`${topic}/${partition}`),
      },
    });
  }

  private async take(batch: RecordBatch): Promise<void> {
    const key = `${batch.topic}/${batch.partition}`;
    if (this.active.has(key)) this.overlaps.push(key);
    this.active.add(key);
    try {
      this.records.push(...batch.records);
      await this.behaviour.onBatch?.(batch, this.consumer);
    } finally {
      this.active.delete(key);
    }
  }

  values(): string[] {
    return this.records.map(({ value }) => value?.toString() ?? '');
  }
}

/**
 * Waits until the condition is true; checks it every 10 ms.
 * @throws an error that names `what` after `timeoutMs` milliseconds
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
  timeoutMs = 60_000,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`waited too long: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
