import { setTimeout as sleep } from 'node:timers/promises';
import { HttpClient, type HttpAnswer } from './http-client.js';
import type { Ledger, LedgerLine } from './ledger.js';
import { SeededRandom } from './seeded-random.js';
import { hashOf, makeEvent, sentEventToJson, type SentEvent } from './sent-event.js';
import { until } from './until.js';

/** Target, rate and seed of a `LoadDriver`. */
export interface LoadDriverOptions {
  /**
   * Returns the base URL of a write port. The driver calls this function before each request, so a test can simulate a
   * failover.
   */
  url: () => string;
  ledger: Ledger;
  seed: number;
  streams: readonly string[];
  /** Number of entities for each stream and worker. */
  entities?: number;
  workers?: number;
  eventsPerSecond?: number;
  /** Fraction of requests that are batches. */
  batchShare?: number;
  batchMax?: number;
  requestTimeoutMs?: number;
  /** Milliseconds for which the driver repeats one event while its outcome is unknown. */
  giveUpAfterMs?: number;
  headers?: Record<string, string>;
}

interface AnsweredEvent {
  event: NumberedEvent;
  outcome: LedgerLine['outcome'];
  position?: { partition: number; offset: number };
  reason?: string;
}

type NumberedEvent = SentEvent & { sequence: number };

const defaults = {
  entities: 3,
  workers: 4,
  eventsPerSecond: 150,
  batchShare: 0.5,
  batchMax: 40,
  requestTimeoutMs: 5_000,
  giveUpAfterMs: 180_000,
};

/**
 * Writes events over HTTP and records each answer in the ledger. The next event of an entity is sent only when the
 * outcome of the previous event is known. A request with an unknown outcome is repeated with the same `event_id`.
 * Because of this protocol, order and number of the stored events can be checked under any fault. The events of each
 * worker depend only on the seed.
 */
export class LoadDriver {
  private readonly options: LoadDriverOptions & typeof defaults;
  private readonly clients = new Map<string, HttpClient>();
  private readonly sequences = new Map<string, number>();
  private readonly retired = new Map<string, number>();
  private running: Promise<void[]> | undefined;
  private stopping = false;
  private budget = Infinity;
  private startedAt = 0;
  private sent = 0;
  /** Number of events whose acknowledgement is in the ledger. */
  acknowledged = 0;

  constructor(options: LoadDriverOptions) {
    this.options = { ...defaults, ...options };
  }

  /** Starts writing. The driver writes until `stop` is called or this number of events has been sent. */
  start(events = Infinity): this {
    this.budget = events;
    this.startedAt = Date.now();
    const random = new SeededRandom(this.options.seed);
    this.running = Promise.all(
      Array.from({ length: this.options.workers }, (_, worker) => this.work(random.fork(worker), worker)),
    );
    this.running.catch(() => undefined);
    return this;
  }

  /** Resolves when all events of `start` have an outcome. */
  async finished(): Promise<void> {
    await this.running;
    await Promise.all([...this.clients.values()].map((client) => client.close()));
  }

  /** Sends no more events. Resolves when each event whose request is in progress has an outcome or was given up. */
  async stop(): Promise<void> {
    this.stopping = true;
    await this.finished();
  }

  /**
   * Resolves when this number of further events has been acknowledged. @throws after `patienceMs` without an
   * acknowledgement
   */
  async untilAcknowledged(more: number, patienceMs = 90_000): Promise<void> {
    const goal = this.acknowledged + more;
    const progress = (): number => this.acknowledged;
    await until(() => this.acknowledged >= goal, {
      what: `${goal} acknowledged events`,
      progress,
      patienceMs,
    });
  }

  private async work(random: SeededRandom, worker: number): Promise<void> {
    while (!this.stopping && this.budget > 0) {
      const size = random.chance(this.options.batchShare) ? 1 + random.int(this.options.batchMax) : 1;
      this.budget -= size;
      const single = size === 1 && random.chance(0.5);
      const events = Array.from({ length: size }, () => this.nextEvent(random, worker));
      await this.pace(size);
      await this.deliver(events, single);
    }
  }

  private nextEvent(random: SeededRandom, worker: number): NumberedEvent {
    const stream = random.pick(this.options.streams);
    const number = random.int(this.options.entities + 1);
    const name = `entity ${worker}/${number} ř`;
    const entityId = number === 0 ? null : `${name}.${this.retired.get(`${stream}\0${name}`) ?? 0}`;
    const event = makeEvent(random, { stream, entityId });
    if (entityId === null) return { ...event, sequence: 1 };
    const sequence = (this.sequences.get(`${stream}\0${entityId}`) ?? 0) + 1;
    this.sequences.set(`${stream}\0${entityId}`, sequence);
    return { ...event, sequence };
  }

  private async pace(size: number): Promise<void> {
    this.sent += size;
    const due = this.startedAt + (this.sent / this.options.eventsPerSecond) * 1000;
    if (due > Date.now()) await sleep(due - Date.now());
  }

  /** Repeats events with unknown outcomes, in order, until each outcome is known or the time limit has passed. */
  private async deliver(events: NumberedEvent[], single: boolean): Promise<void> {
    const deadline = Date.now() + this.options.giveUpAfterMs;
    let pending = events;
    for (let attempt = 0; ; attempt++) {
      const answers = await this.exchange(pending, single);
      await Promise.all(answers.map((answer) => this.enter(answer)));
      pending = answers.filter(({ outcome }) => outcome === 'unknown').map(({ event }) => event);
      if (pending.length === 0) return;
      if (Date.now() > deadline) return this.retire(pending);
      await sleep(Math.min(50 * 2 ** attempt, 1_000));
    }
  }

  /**
   * Sends no more events of an entity. An event that was given up may still arrive later, so the order of further
   * events of its entity could not be checked.
   */
  private retire(events: readonly NumberedEvent[]): void {
    for (const { stream, entity_id } of events) {
      if (entity_id === null) continue;
      const name = entity_id.slice(0, entity_id.lastIndexOf('.'));
      this.retired.set(`${stream}\0${name}`, (this.retired.get(`${stream}\0${name}`) ?? 0) + 1);
    }
  }

  private async enter({ event, outcome, position, reason }: AnsweredEvent): Promise<void> {
    const { event_id, stream, entity_id, sequence } = event;
    const hash = hashOf(event);
    await this.options.ledger.record({
      ...{ event_id, stream, entity_id, sequence, hash, outcome },
      ...position,
      ...(reason && { reason }),
    });
    if (outcome === 'ok') this.acknowledged++;
  }

  private async exchange(events: NumberedEvent[], single: boolean): Promise<AnsweredEvent[]> {
    try {
      return single ? await this.writeOne(events[0]!) : await this.writeBatch(events);
    } catch (error) {
      const reason = (error as NodeJS.ErrnoException).code ?? (error as Error).name;
      return events.map((event) => ({ event, outcome: 'unknown', reason }));
    }
  }

  private async writeOne(event: NumberedEvent): Promise<AnsweredEvent[]> {
    const answer = await this.post('/api/v1/events', sentEventToJson(event));
    if (answer.status !== 201) return [notWritten(event, answer.status, answer.text)];
    return [{ event, outcome: 'ok', position: positionIn(answer.json()) }];
  }

  private async writeBatch(events: NumberedEvent[]): Promise<AnsweredEvent[]> {
    const body = `{"events":[${events.map(sentEventToJson).join(',')}]}`;
    const answer = await this.post('/api/v1/events/batch', body);
    if (answer.status !== 201 && answer.status !== 207)
      return events.map((event) => notWritten(event, answer.status, answer.text));
    const results = answer.json<{ events: Record<string, unknown>[] }>().events;
    if (results.length !== events.length) throw new Error('A batch answer does not match its request');
    return events.map((event, i) => {
      const result = results[i]!;
      if (!result.error) return { event, outcome: 'ok', position: positionIn(result) };
      const { status } = result.error as { status?: number };
      return notWritten(event, status ?? 500, JSON.stringify(result.error));
    });
  }

  private post(path: string, body: string): Promise<HttpAnswer> {
    const url = this.options.url();
    let client = this.clients.get(url);
    if (!client) {
      client = new HttpClient(url, {
        headers: this.options.headers,
        timeoutMs: this.options.requestTimeoutMs,
      });
      this.clients.set(url, client);
    }
    return client.post(path, body);
  }
}

function notWritten(event: NumberedEvent, status: number, text: string): AnsweredEvent {
  const certain = status >= 400 && status < 500 && status !== 408 && status !== 429;
  return { event, outcome: certain ? 'failed' : 'unknown', reason: `${status} ${text.slice(0, 300)}` };
}

function positionIn(answer: Record<string, unknown>): { partition: number; offset: number } {
  const { partition, offset } = answer;
  if (typeof partition !== 'number' || typeof offset !== 'number')
    throw new Error('An acknowledgement has no position');
  return { partition, offset };
}
