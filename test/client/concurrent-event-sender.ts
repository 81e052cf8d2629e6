import { setTimeout as sleep } from 'node:timers/promises';
import { UnknownOutcomeError, type Producer } from '#client';
import { hashOf, makeEvent, SeededRandom, until, type Ledger, type SentEvent } from '#testkit';
import { freshStream } from '../api.js';

/** Sends events concurrently through a producer, and records each outcome in the ledger. */
export class ConcurrentEventSender {
  private readonly random: SeededRandom;
  private readonly streams = [freshStream('client'), freshStream('client')];
  private readonly sequences = new Map<string, number>();
  private stopping = false;
  private acknowledged = 0;

  constructor(
    private readonly producer: Producer,
    private readonly ledger: Ledger,
    seed: number,
  ) {
    this.random = new SeededRandom(seed);
  }

  /** Sends some hundred events a second until it is stopped. Resolves when each event has an outcome. */
  async run(): Promise<void> {
    const outcomes: Promise<void>[] = [];
    while (!this.stopping) {
      for (let n = this.random.int(20); n > 0; n--) outcomes.push(this.send(this.nextEvent()));
      await sleep(this.random.int(50));
    }
    await Promise.all(outcomes);
  }

  stop(): void {
    this.stopping = true;
  }

  /** Resolves when this number of further events has been acknowledged. */
  async untilAcknowledged(more: number): Promise<void> {
    const goal = this.acknowledged + more;
    const progress = () => this.acknowledged;
    await until(() => progress() >= goal, { what: `${goal} acknowledged events`, progress });
  }

  private nextEvent(): SentEvent {
    const entityId = this.random.chance(0.2) ? null : `entity ${this.random.int(20)} ř`;
    // Numbers in metadata are not sent as text, so they would not be read back unchanged.
    return {
      ...makeEvent(this.random, { stream: this.random.pick(this.streams), entityId }),
      metadata: '{}',
    };
  }

  /**
   * Sends an event. The client repeats requests by itself, so the ledger has an unknown outcome before the first
   * request.
   */
  private async send(event: SentEvent): Promise<void> {
    const { data: dataText, ...head } = event;
    const { event_id, stream, entity_id } = event;
    const line = { event_id, stream, entity_id, sequence: this.sequenceOf(event), hash: hashOf(event) };
    const known = this.ledger.record({ ...line, outcome: 'unknown', reason: 'on its way' });
    try {
      const { partition, offset } = await this.producer.send({ ...head, dataText, metadata: {} });
      await known;
      await this.ledger.record({ ...line, outcome: 'ok', partition, offset });
      this.acknowledged++;
    } catch (error) {
      if (!(error instanceof UnknownOutcomeError)) throw error;
    }
  }

  private sequenceOf({ stream, entity_id }: SentEvent): number {
    if (entity_id === null) return 1;
    const name = `${stream}\0${entity_id}`;
    const next = (this.sequences.get(name) ?? 0) + 1;
    this.sequences.set(name, next);
    return next;
  }
}
