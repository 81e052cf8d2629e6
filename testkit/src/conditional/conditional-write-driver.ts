import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { HttpClient } from '../http-client.js';
import { SeededRandom } from '../seeded-random.js';
import { hashOf, makeEvent } from '../sent-event.js';
import { until } from '../until.js';
import type { Attempt, AttemptRequest } from './attempt.js';
import type { AttemptHistory } from './attempt-history.js';
import { sendConditional, type ConditionalEvent, type WriteForm } from './conditional-request.js';
import { SharedEntityVersions, type KnownEntity } from './shared-entity-versions.js';

interface ConditionalDriverOptions {
  /** Returns the base URLs of the write ports; each request is sent to a random one of the URLs. */
  urls: () => readonly string[];
  history: AttemptHistory;
  seed: number;
  streams: readonly string[];
  /** Number of entities of each stream. */
  entities?: number;
  writers?: number;
  /** Number of new events or batches that all writers together begin to send in a second. */
  writesPerSecond?: number;
  /** Milliseconds for which the driver repeats one event while its outcome is unknown. */
  giveUpAfterMs?: number;
}

const defaults = { entities: 10, writers: 50, writesPerSecond: 60, giveUpAfterMs: 180_000 };

/** Probabilities of the choices of a writer. */
const shares = {
  /**
   * Probability that a writer waits until it alone may write to the entity, and expects the latest version that any
   * answer has named. All other writes are sent without waiting.
   */
  mannered: 0.75,
  batch: 0.15,
  /** Probability that a writer sends an atomic batch. */
  atomic: 0.2,
  /**
   * Probability that a writer which does not wait expects the version that it has seen last itself. In the remaining
   * cases, the writer expects an earlier version, a later version, or none.
   */
  lastSeen: 0.4,
  earlier: 0.25,
  later: 0.15,
  /**
   * Probability that a writer sends a refused event again with the same event id, and expects the version in the
   * answer.
   */
  again: 0.3,
  /** Probability that a writer sends an accepted event again without a change. */
  repeat: 0.05,
  /** Probability that a writer gives up a request before the server answers. */
  impatient: 0.2,
};
const timeouts = { impatientMs: 1_500, patientMs: 12_000 };
const batchMax = 5;

/**
 * Writes conditional events from many concurrent writers to few entities, and records each attempt in the history. A
 * request with an unknown outcome is repeated with the same `event_id` and the same expected version. About 30 % of the
 * attempts are refused. The choices of each writer depend on the seed; the order in which the writers' requests arrive
 * does not.
 */
export class ConditionalWriteDriver {
  private readonly options: ConditionalDriverOptions & typeof defaults;
  private readonly shared: SharedEntityVersions;
  private readonly clients = new Map<string, HttpClient>();
  private running: Promise<void[]> | undefined;
  private stopping = false;
  /** Time at which the next write begins, in milliseconds of the monotonic clock. */
  private due = 0;
  /** Numbers of attempts that were accepted and refused. */
  readonly decided = { accepted: 0, refused: 0 };
  /** The amounts of all sent events in tenths, by event id. */
  readonly amounts = new Map<string, number>();

  constructor(options: ConditionalDriverOptions) {
    this.options = { ...defaults, ...options };
    this.shared = new SharedEntityVersions(options.streams, this.options.entities);
  }

  start(): this {
    const random = new SeededRandom(this.options.seed);
    const writers = Array.from({ length: this.options.writers }, (_, n) => this.write(random.fork(n)));
    this.running = Promise.all(writers);
    this.running.catch(() => undefined);
    return this;
  }

  /** Begins no more events. Resolves when each event whose request is in progress has an outcome or was given up. */
  async stop(): Promise<void> {
    this.stopping = true;
    await this.running;
    await Promise.all([...this.clients.values()].map((client) => client.close()));
  }

  /** Number of attempts that have an answer or have timed out. */
  get attempts(): number {
    return this.options.history.attempts.length;
  }

  /**
   * Resolves when this many further attempts are accepted or refused. @throws after `patienceMs` without an accepted or
   * refused attempt
   */
  async untilDecided(more: number, patienceMs = 120_000): Promise<void> {
    const count = () => this.decided.accepted + this.decided.refused;
    const goal = count() + more;
    await until(() => count() >= goal, { what: `${goal} decided attempts`, progress: count, patienceMs });
  }

  private async write(random: SeededRandom): Promise<void> {
    const seen = new Map<KnownEntity, number>();
    while (!this.stopping) {
      if (random.chance(shares.mannered)) await this.writeInTurn(random, seen);
      else await this.writeAnyway(random, seen);
    }
  }

  private async writeAnyway(random: SeededRandom, seen: Map<KnownEntity, number>): Promise<void> {
    await this.pace();
    const first = this.anyEvent(random, seen);
    if (first.expected !== null && random.chance(shares.atomic))
      await this.writeGroup(first, { random, seen });
    else await this.deliver([first], { random, seen, form: 'single' });
  }

  /** Sends an atomic batch of two or more events that begins with this event. */
  private async writeGroup(
    first: AddressedEvent,
    { random, seen }: Omit<WriterState, 'form'>,
  ): Promise<void> {
    const count = 1 + random.int(batchMax - 1);
    const later = Array.from({ length: count }, (_, i) =>
      this.event(random, first.entity, first.expected! + 1 + i),
    );
    await this.deliver([first, ...later], { random, seen, form: 'atomic' });
  }

  /**
   * Reserves an entity, and writes one event or a batch of consecutive events. The batch may also contain an event of
   * an entity that is not reserved.
   */
  private async writeInTurn(random: SeededRandom, seen: Map<KnownEntity, number>): Promise<void> {
    const entity = await this.turn(random);
    if (!entity) return;
    try {
      await this.pace();
      if (random.chance(shares.atomic))
        return await this.writeGroup(this.event(random, entity, entity.version), { random, seen });
      const batch = random.chance(shares.batch);
      const count = batch ? 1 + random.int(batchMax) : 1;
      const first = entity.version;
      const events = Array.from({ length: count }, (_, i) => this.event(random, entity, first + i));
      if (batch && random.chance(0.5)) events.push(this.anyEvent(random, seen));
      await this.deliver(events, { random, seen, form: batch ? 'batch' : 'single' });
    } finally {
      entity.taken = false;
    }
  }

  /**
   * Waits until the writer alone may write to some entity, and returns the entity; undefined if the driver stops first.
   */
  private async turn(random: SeededRandom): Promise<KnownEntity | undefined> {
    while (!this.stopping) {
      const entity = this.shared.take(random);
      if (entity) return entity;
      await sleep(5);
    }
    return undefined;
  }

  private anyEvent(random: SeededRandom, seen: ReadonlyMap<KnownEntity, number>): AddressedEvent {
    const entity = random.pick(this.shared.all);
    const version = seen.get(entity) ?? 0;
    const choice = random.next();
    const expectations = [
      [shares.lastSeen, version],
      [shares.earlier, Math.max(0, version - 1 - random.int(3))],
      [shares.later, version + 1 + random.int(3)],
    ] as const;
    let sum = 0;
    const chosen = expectations.find(([share]) => choice < (sum += share));
    return this.event(random, entity, chosen?.[1] ?? null);
  }

  private event(random: SeededRandom, entity: KnownEntity, expected: number | null): AddressedEvent {
    const { stream, entity_id } = entity;
    // The random numbers of a seed do not suffice for unique event ids in a long run.
    const event = { ...makeEvent(random, { stream, entityId: entity_id }), event_id: randomUUID() };
    this.amounts.set(event.event_id, Math.round(Number(/"amount":([\d.]+)/.exec(event.data)![1]) * 10));
    return { ...event, entity_id, expected, entity };
  }

  /**
   * Repeats events with unknown outcomes until each outcome is known. Once the outcomes are known, repeats some
   * accepted events, and sends some refused events again, on purpose.
   */
  private async deliver(events: readonly AddressedEvent[], as: WriterState): Promise<void> {
    const known = await this.untilKnown(events, as);
    const { random, seen, form } = as;
    const units = form === 'atomic' ? [events] : events.map((event) => [event]);
    for (const unit of units) {
      const outcome = known.get(unit[0]!)?.outcome;
      const again = { ...as, form: form === 'batch' ? 'single' : form } as const;
      if (outcome === 'accepted' && random.chance(shares.repeat)) await this.untilKnown(unit, again);
      if (outcome !== 'refused' || !random.chance(shares.again)) continue;
      const current = seen.get(unit[0]!.entity)!;
      await this.untilKnown(
        unit.map((event, i) => ({ ...event, expected: current + i })),
        again,
      );
    }
  }

  private async untilKnown(
    events: readonly AddressedEvent[],
    as: WriterState,
  ): Promise<Map<AddressedEvent, Attempt>> {
    const deadline = Date.now() + this.options.giveUpAfterMs;
    const known = new Map<AddressedEvent, Attempt>();
    let pending = events;
    for (let pause = 50; pending.length > 0 && Date.now() < deadline; pause = Math.min(2 * pause, 1_000)) {
      const attempts = await this.attempt(pending, as);
      pending.forEach((event, i) => this.learn(event, attempts[i]!, as.seen));
      pending.forEach((event, i) => known.set(event, attempts[i]!));
      pending = pending.filter((_, i) => attempts[i]!.outcome === 'unknown');
      if (pending.length > 0) await sleep(pause);
    }
    return known;
  }

  private async attempt(
    events: readonly AddressedEvent[],
    { random, form }: WriterState,
  ): Promise<Attempt[]> {
    const client = this.client(random.pick(this.options.urls()));
    const timeoutMs = random.chance(shares.impatient) ? timeouts.impatientMs : timeouts.patientMs;
    const post = (path: string, body: string) => client.post(path, body, { timeoutMs });
    const group = form === 'atomic' ? events.map(({ event_id }) => event_id) : undefined;
    const returns = await Promise.all(
      events.map((event) => this.options.history.invoke({ ...attemptedOf(event), group })),
    );
    const answers = await sendConditional(post, events, { form });
    return Promise.all(returns.map((returned, i) => returned(answers[i]!)));
  }

  private learn({ entity }: AddressedEvent, attempt: Attempt, seen: Map<KnownEntity, number>): void {
    const { outcome } = attempt;
    if (outcome !== 'accepted' && outcome !== 'refused') return;
    this.decided[outcome]++;
    const version = outcome === 'accepted' ? attempt.version : attempt.current;
    if (version === null) return;
    seen.set(entity, version);
    entity.version = Math.max(entity.version, version);
  }

  /**
   * Waits until the next write may begin. The wait comes before the writer chooses the expected version, so the
   * expected version is not older than the request. After a pause of the process, the writers do not catch up.
   */
  private async pace(): Promise<void> {
    const now = Date.now();
    this.due = Math.max(this.due + 1000 / this.options.writesPerSecond, now);
    if (this.due > now) await sleep(this.due - now);
  }

  private client(url: string): HttpClient {
    let client = this.clients.get(url);
    if (!client) this.clients.set(url, (client = new HttpClient(url, { connections: 128 })));
    return client;
  }
}

type AddressedEvent = ConditionalEvent & { entity: KnownEntity };

/** The state of one writer of the driver: its random numbers, and the versions that it has seen. */
interface WriterState {
  random: SeededRandom;
  /** The last version of each entity that an answer to this writer has named. */
  seen: Map<KnownEntity, number>;
  form: WriteForm;
}

function attemptedOf(event: AddressedEvent): AttemptRequest {
  const { event_id, stream, entity_id, expected } = event;
  return { event_id, stream, entity_id, expected, hash: hashOf(event) };
}
