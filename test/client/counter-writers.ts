import { NotYetMaterializedError, type Tributary } from '#client';
import { until } from '#testkit';
import { freshStream } from '../api.js';

const entities = 3;

/** Writers that increment the same counters with `decide`. Every increment must be counted once. */
export class CounterWriters {
  readonly stream = freshStream('counters');
  private readonly increments = new Map<string, number>();
  private stopping = false;
  private total = 0;

  constructor(private readonly clients: readonly Tributary[]) {}

  /** Increments the counters until it is stopped. */
  async run(): Promise<void> {
    await Promise.all(this.clients.map((client, n) => this.write(client, n)));
  }

  stop(): void {
    this.stopping = true;
  }

  /** Resolves when this number of further increments was accepted. */
  async untilAccepted(more: number): Promise<void> {
    const goal = this.total + more;
    const progress = () => this.total;
    await until(() => progress() >= goal, { what: `${goal} accepted increments`, progress });
  }

  /** Returns the numbers of accepted increments, by counter. */
  get accepted(): Record<string, number> {
    return Object.fromEntries(this.increments);
  }

  private async write(client: Tributary, n: number): Promise<void> {
    for (let i = n; !this.stopping; i++) {
      const entity_id = `counter-${i % entities}`;
      if (!(await this.increment(client, entity_id))) continue;
      this.total++;
      this.increments.set(entity_id, (this.increments.get(entity_id) ?? 0) + 1);
    }
  }

  /** Returns false if the counter cannot be read in time: nothing is written then. */
  private async increment(client: Tributary, entity_id: string): Promise<boolean> {
    const next = (state: { n: number } | undefined) => [
      { event_type: 'incremented', data: { n: (state?.n ?? 0) + 1 } },
    ];
    const options = { attempts: 1000, deliveryTimeoutMs: 180_000 };
    try {
      await client.decide<{ n: number }>({ stream: this.stream, entity_id }, next, options);
      return true;
    } catch (error) {
      if (error instanceof NotYetMaterializedError) return false;
      throw error;
    }
  }
}
