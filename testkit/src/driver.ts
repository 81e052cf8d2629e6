import { setTimeout as sleep } from 'node:timers/promises';
import { HttpClient, type HttpAnswer } from './http-client.js';
import type { Ledger, LedgerLine } from './ledger.js';
import { Random } from './random.js';
import { hashOf, makeEvent, sentEventToJson, type SentEvent } from './sent-event.js';
import { until } from './until.js';

export interface DriverOptions {
  /** Base URL of a write port; asked before each request, so that a fail-over can be played. */
  url: () => string;
  ledger: Ledger;
  seed: number;
  streams: readonly string[];
  /** Per stream and worker. */
  entities?: number;
  workers?: number;
  eventsPerSecond?: number;
  /** Share of the requests that are batches. */
  batchShare?: number;
  batchMax?: number;
  requestTimeoutMs?: number;
  /** How long one event is repeated while the answer is unknown. */
  giveUpAfterMs?: number;
  headers?: Record<string, string>;
}

interface Answered {
  event: Numbered;
  outcome: LedgerLine['outcome'];
  position?: { partition: number; offset: number };
  reason?: string;
}

type Numbered = SentEvent & { sequence: number };

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
 * Writes events over HTTP and records each answer in the ledger. An entity's next event is sent only when the one
 * before is known, and an unknown answer is repeated with the same `event_id`, so that order and count can be checked
 * whatever happens on the way. What each worker makes depends on the seed alone.
 */
export class Driver {
  private readonly options: DriverOptions & typeof defaults;
  private readonly clients = new Map<string, HttpClient>();
  private readonly sequences = new Map<string, number>();
  private readonly retired = new Map<string, number>();
  private running: Promise<void[]> | undefined;
  private stopping = false;
  private budget = Infinity;
  private startedAt = 0;
  private sent = 0;
  /** Events whose acknowledgement is in the ledger. */
  acknowledged = 0;

  constructor(options: DriverOptions) {
    this.options = { ...defaults, ...options };
  }

  /** Starts writing; goes on until `stop`, or until so many events have been sent. */
  start(events = Infinity): this {
    this.budget = events;
    this.startedAt = Date.now();
    const random = new Random(this.options.seed);
    this.running = Promise.all(
      Array.from({ length: this.options.workers }, (_, worker) => this.work(random.fork(worker), worker)),
    );
    this.running.catch(() => undefined);
    return this;
  }

  /** Resolves when all the events given to `start` have their answers. */
  async finished(): Promise<void> {
    await this.running;
    await Promise.all([...this.clients.values()].map((client) => client.close()));
  }

  /** Sends nothing new, and resolves when what is on the way has been answered or given up. */
  async stop(): Promise<void> {
    this.stopping = true;
    await this.finished();
  }

  /** Resolves when so many more events have been acknowledged. @throws when for so long not one more has been. */
  async untilAcknowledged(more: number, patienceMs = 90_000): Promise<void> {
    const goal = this.acknowledged + more;
    const progress = (): number => this.acknowledged;
    await until(() => this.acknowledged >= goal, {
      what: `${goal} acknowledged events`,
      progress,
      patienceMs,
    });
  }

  private async work(random: Random, worker: number): Promise<void> {
    while (!this.stopping && this.budget > 0) {
      const size = random.chance(this.options.batchShare) ? 1 + random.int(this.options.batchMax) : 1;
      this.budget -= size;
      const single = size === 1 && random.chance(0.5);
      const events = Array.from({ length: size }, () => this.nextEvent(random, worker));
      await this.pace(size);
      await this.deliver(events, single);
    }
  }

  private nextEvent(random: Random, worker: number): Numbered {
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

  /** Repeats what is unknown, in order, until it is known or given up. */
  private async deliver(events: Numbered[], single: boolean): Promise<void> {
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

  /** An event that was given up may still arrive; its entity gets no more events, or their order could not be told. */
  private retire(events: readonly Numbered[]): void {
    for (const { stream, entity_id } of events) {
      if (entity_id === null) continue;
      const name = entity_id.slice(0, entity_id.lastIndexOf('.'));
      this.retired.set(`${stream}\0${name}`, (this.retired.get(`${stream}\0${name}`) ?? 0) + 1);
    }
  }

  private async enter({ event, outcome, position, reason }: Answered): Promise<void> {
    const { event_id, stream, entity_id, sequence } = event;
    const hash = hashOf(event);
    await this.options.ledger.record({
      ...{ event_id, stream, entity_id, sequence, hash, outcome },
      ...position,
      ...(reason && { reason }),
    });
    if (outcome === 'ok') this.acknowledged++;
  }

  private async exchange(events: Numbered[], single: boolean): Promise<Answered[]> {
    try {
      return single ? await this.writeOne(events[0]!) : await this.writeBatch(events);
    } catch (error) {
      const reason = (error as NodeJS.ErrnoException).code ?? (error as Error).name;
      return events.map((event) => ({ event, outcome: 'unknown', reason }));
    }
  }

  private async writeOne(event: Numbered): Promise<Answered[]> {
    const answer = await this.post('/api/v1/events', sentEventToJson(event));
    if (answer.status !== 201) return [notWritten(event, answer.status, answer.text)];
    return [{ event, outcome: 'ok', position: positionIn(answer.json()) }];
  }

  private async writeBatch(events: Numbered[]): Promise<Answered[]> {
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

function notWritten(event: Numbered, status: number, text: string): Answered {
  const certain = status >= 400 && status < 500 && status !== 408 && status !== 429;
  return { event, outcome: certain ? 'failed' : 'unknown', reason: `${status} ${text.slice(0, 300)}` };
}

function positionIn(answer: Record<string, unknown>): { partition: number; offset: number } {
  const { partition, offset } = answer;
  if (typeof partition !== 'number' || typeof offset !== 'number')
    throw new Error('An acknowledgement has no position');
  return { partition, offset };
}
