import { durationMs, ProblemError } from '#api';
import type { SubscriptionDefinition } from '#features/subscriptions/definition';
import type { StoredEvent } from '#event';
import type { Bulkhead } from '#gateway-kit';
import { refOf, type Delivery } from '../state/delivery.js';
import type { EventRef, HandOutRef } from '../state/subscription-command.js';
import type { CommandOutcome, GrantedDelivery, SubscriptionState } from '../state/subscription-state.js';
import type { SubscriptionLog } from '../log/subscription-log.js';
import type { AcceptedTail, TailFollower } from './accepted-tail.js';
import { EventLoader, keyOf } from './event-loader.js';
import { SourceBuffer, type TakenEvents } from './source-buffer.js';
import type { StoredProgress } from './stored-progress.js';

/** An event that is handed to a worker. */
export interface HandedOutEvent {
  handOut: HandOutRef;
  attempt: number;
  event: StoredEvent;
  /** Until when it may be sent, in milliseconds of `performance.now()`: later, others may have it. */
  usableUntil: number;
}

interface SubscriptionDispatcherOptions {
  run: string;
  log: SubscriptionLog;
  /** Returns the present definition; undefined if the subscription was deleted. */
  definition(): SubscriptionDefinition | undefined;
  buffer: SourceBuffer;
  loader: EventLoader;
  progress: StoredProgress;
  /** Limits the queries of all subscriptions. */
  reads: Bulkhead;
  tail: AcceptedTail;
  topics: TailFollower['topics'];
  sources: TailFollower['sources'];
}

/** A worker that waits for events. */
interface WaitingReceiver {
  max: number;
  /** When it came, and until when it waits, in milliseconds of `performance.now()`. */
  since: number;
  until: number;
  resolve: (events: readonly HandedOutEvent[]) => void;
  reject: (error: unknown) => void;
}

/** A position moves over so many offsets without an event, or over any after so many milliseconds without a claim. */
const farOffsets = 10_000;
const stillMs = 10_000;
/** A buffer with fewer events is filled while others are claimed. */
const prefetchBelow = 1_500;

/** Limits of one claim. */
const most = { events: 1_000, again: 200 };
/** Limit of the events of one answer, in characters of `data` and `metadata`. */
const answerCharacters = 8 * 1024 * 1024;
/** A subscription with so many events that are not done takes up no further ones. */
export const mostOpen = 50_000;
/** Milliseconds after a claim that has brought nothing, although something seemed to be due. */
const pauseMs = 20;
const minimalWaitMs = 5;
const longestWaitMs = 1_000;
/** Milliseconds for which the last round of a request may take longer than it waits. */
const lastRoundMs = 2_000;
/** Milliseconds until an event is looked for again that the store did not have. */
const missingMs = 1_000;

/**
 * Hands the events of one subscription to the workers that ask this process. All that wait share one claim, and claims follow each
 * other. Nothing runs while nobody waits.
 */
export class SubscriptionDispatcher {
  private readonly waiting = new Set<WaitingReceiver>();
  private running: Promise<void> | undefined;
  /** When the last claim was written, in milliseconds of `performance.now()`. */
  private movedAt = performance.now();
  private filling: Promise<boolean> | undefined;
  private wake: () => void = () => undefined;
  /** Aborted when nobody waits any more. */
  private ended = new AbortController();
  /** When somebody was here last, in milliseconds of `performance.now()`. */
  lastUsed = performance.now();

  constructor(private readonly options: SubscriptionDispatcherOptions) {}

  /** Whether no claim was written for a while: the positions then move even if there is no event for anybody. */
  private get isStill(): boolean {
    return performance.now() - this.movedAt > stillMs;
  }

  get isUsed(): boolean {
    return this.waiting.size > 0 || this.running !== undefined;
  }

  /**
   * Resolves with at most `max` events as soon as there are some, or with none after `waitMs`.
   * @throws ProblemError 404 `subscription_not_found`, 409 `subscription_paused`
   * @throws LogUnavailableError @throws StoreUnavailableError
   * @throws the signal's reason
   */
  async receive(
    { max, waitMs }: { max: number; waitMs: number },
    client: AbortSignal,
  ): Promise<readonly HandedOutEvent[]> {
    client.throwIfAborted();
    let leave: () => void = () => undefined;
    try {
      return await new Promise((resolve, reject) => {
        const since = performance.now();
        const receiver: WaitingReceiver = { max, since, until: since + waitMs, resolve, reject };
        // A round that has begun may still find something.
        const timer = setTimeout(() => resolve([]), waitMs + lastRoundMs);
        const gone = () => reject(client.reason as Error);
        client.addEventListener('abort', gone, { once: true });
        leave = () => {
          clearTimeout(timer);
          client.removeEventListener('abort', gone);
          this.waiting.delete(receiver);
          if (this.waiting.size === 0) this.ended.abort();
        };
        this.waiting.add(receiver);
        this.wake();
        this.running ??= this.run();
      });
    } finally {
      leave();
      this.lastUsed = performance.now();
    }
  }

  /** The definition has perhaps changed: those that wait see it at once. */
  changed(): void {
    this.wake();
  }

  /** Answers all that wait with what there is: nothing. Forgets what was read. */
  close(): void {
    for (const receiver of [...this.waiting]) receiver.resolve([]);
    this.waiting.clear();
    this.options.loader.clear();
    this.wake();
  }

  private async run(): Promise<void> {
    const { log, run, progress, tail, topics, sources } = this.options;
    const ended = new AbortController();
    this.ended = ended;
    const wake = () => this.wake();
    const follower = { topics, sources, moved: wake };
    const unfollow = [progress.follow(follower), tail.follow(follower)];
    const unsubscribe = log.onChange(run, wake);
    try {
      while (this.waiting.size > 0 && !ended.signal.aborted) {
        let isAwake = false;
        let woken: () => void = () => undefined;
        const awake = new Promise<void>((resolve) => (woken = resolve));
        this.wake = () => {
          isAwake = true;
          woken();
        };
        const waitMs = await this.round();
        if (waitMs === 0) continue;
        this.endOver();
        if (!isAwake) await sleepUntil(awake, Math.min(waitMs, this.nextOver()));
      }
    } catch (error) {
      // Nobody waited any more. The next run serves whoever has come since.
      for (const receiver of ended.signal.aborted ? [] : [...this.waiting]) {
        this.waiting.delete(receiver);
        receiver.reject(error);
      }
    } finally {
      ended.abort();
      for (const end of unfollow) end();
      unsubscribe();
      this.running = undefined;
      // Somebody came while the last round ended.
      if (this.waiting.size > 0) this.running = this.run();
    }
  }

  /** Answers those whose time is over, after a round that has looked at what was stored after they came. */
  private endOver(): void {
    const now = performance.now();
    for (const receiver of [...this.waiting])
      if (receiver.until <= now && receiver.since < this.options.progress.askedAt) receiver.resolve([]);
  }

  /** Returns the milliseconds until the next request is over. */
  private nextOver(): number {
    const next = Math.min(...[...this.waiting].map(({ until }) => until));
    return Math.max(minimalWaitMs, next - performance.now());
  }

  /** Hands out what can be handed out now. Resolves with the milliseconds after which that may be different. */
  private async round(): Promise<number> {
    const { log, run, buffer } = this.options;
    const { spec } = this.requireRunning();
    const state = await log.stateOf(run);
    const desired = Math.min(most.events, sum([...this.waiting].map(({ max }) => max)));
    if (desired === 0) return 0;
    const room = Math.max(0, spec.max_outstanding - state.counts.out);
    const due = state.claimable(log.now, { most: Math.min(desired, most.again), room });
    const [exhausted, again] = split(due, ({ status, attempt }) => {
      return status === 'out' && attempt >= spec.retry.attempts;
    });
    const left = Math.min(
      desired - again.length,
      room - again.filter(({ status }) => status !== 'out').length,
    );
    // What waits behind an entity is kept in memory: no more is taken up while that is full and something else is due.
    const isFull = state.open >= mostOpen || (this.options.loader.isFull && due.length > 0);
    const taken: TakenEvents = isFull
      ? { fresh: [], events: [] }
      : buffer.take(state, left, this.isStill ? 1 : farOffsets);
    // The next page is read while these events are claimed.
    if (taken.events.length > 0 && buffer.length < prefetchBelow && !buffer.isFull)
      this.fill(state).catch(() => undefined);
    const isChanged = state.parkedBlocks !== spec.parked_blocks && state.counts.parked > 0;
    if (due.length + taken.fresh.length > 0 || isChanged) {
      const count = await this.claim({ exhausted, again, taken }, spec);
      return count > 0 || taken.fresh.length + exhausted.length > 0 ? 0 : pauseMs;
    }
    const isRead =
      left > 0 && (buffer.fillFromTail(state) || (buffer.length === 0 && (await this.fill(state))));
    if (isRead) return 0;
    const next = state.nextDue;
    return next === undefined
      ? longestWaitMs
      : Math.min(longestWaitMs, Math.max(minimalWaitMs, next - log.now));
  }

  /** Reads a page of stored events, or shares the read that runs. Resolves with whether there was something to read. */
  private fill(state: SubscriptionState): Promise<boolean> {
    const { buffer, progress, reads } = this.options;
    if (!this.filling && !buffer.hasUnread(state, progress.offsets)) return Promise.resolve(false);
    this.filling ??= reads
      .run(this.ended.signal, (signal) => buffer.fill(state, progress.offsets, signal))
      .finally(() => (this.filling = undefined));
    return this.filling;
  }

  private async claim(
    { exhausted, again, taken }: { exhausted: Delivery[]; again: Delivery[]; taken: TakenEvents },
    spec: SubscriptionDefinition['spec'],
  ): Promise<number> {
    const { log, run, loader } = this.options;
    const lease = durationMs(spec.ack_within);
    const began = performance.now();
    const command = {
      type: 'claim',
      lease,
      most: spec.max_outstanding,
      parkedBlocks: spec.parked_blocks,
      park: exhausted.map(refOf),
      again: again.map(refOf),
      fresh: taken.fresh,
    } as const;
    const late = ({ granted }: CommandOutcome) =>
      void this.giveBack(granted.map(handOutOf)).catch(() => undefined);
    const { granted } = await log.execute(run, command, late);
    this.movedAt = performance.now();
    loader.keep(withRefs(taken));
    if (granted.length === 0) return 0;
    try {
      const events = await loader.load(granted, this.ended.signal);
      await this.distribute(granted, { events, usableUntil: began + lease });
    } catch (error) {
      await this.giveBack(granted.map(handOutOf));
      throw error;
    }
    return granted.length;
  }

  /** Gives events back that have reached no worker: they take no attempt. */
  async giveBack(handOuts: readonly HandOutRef[], { gone = [], delayMs = 0 }: GivenBack = {}): Promise<void> {
    if (handOuts.length + gone.length === 0) return;
    const { log, run } = this.options;
    await log.execute(run, {
      ...{ type: 'settle', ack: gone, nack: [], extend: [], lease: 0 },
      ...{ release: handOuts, releaseDelay: delayMs },
    });
  }

  /** Gives the events to those who wait, and gives back what nobody can take. */
  private async distribute(
    granted: readonly GrantedDelivery[],
    { events, usableUntil }: { events: ReadonlyMap<string, StoredEvent | 'gone'>; usableUntil: number },
  ): Promise<void> {
    const missing: HandOutRef[] = [];
    const gone: HandOutRef[] = [];
    const found: HandedOutEvent[] = [];
    for (const delivery of granted) {
      const event = events.get(keyOf(refOf(delivery)));
      const handOut = handOutOf(delivery);
      if (event === 'gone') gone.push(handOut);
      else if (event) found.push({ handOut, attempt: delivery.attempt, event, usableUntil });
      else missing.push(handOut);
    }
    for (const receiver of [...this.waiting]) {
      const own = firstOf(found, receiver.max);
      if (own.length === 0) break;
      found.splice(0, own.length);
      this.waiting.delete(receiver);
      receiver.resolve(own);
    }
    await this.giveBack(missing, { gone, delayMs: missingMs });
    await this.giveBack(found.map(({ handOut }) => handOut));
  }

  private requireRunning(): SubscriptionDefinition {
    const definition = this.options.definition();
    if (!definition)
      throw new ProblemError(
        'subscription_not_found',
        'The subscription was deleted while the request waited.',
      );
    if (definition.paused) {
      const detail = `The subscription ${definition.name} is paused: POST /api/v1/subscriptions/${definition.name}/resume continues it.`;
      throw new ProblemError('subscription_paused', detail);
    }
    return definition;
  }
}

interface GivenBack {
  /** Events that do not exist any more: they are done. */
  gone?: readonly HandOutRef[];
  /** Milliseconds until the others are due again. */
  delayMs?: number;
}

function handOutOf(delivery: GrantedDelivery): HandOutRef {
  return [...refOf(delivery), delivery.claim];
}

/** Yields the events with their positions. */
function* withRefs({ fresh, events }: TakenEvents): Generator<readonly [EventRef, StoredEvent]> {
  let at = 0;
  for (const { source, partition, events: refs } of fresh)
    for (const [offset] of refs) yield [[source, partition, offset], events[at++]!];
}

/** Returns the first events that one answer can have: at least one. */
function firstOf(events: readonly HandedOutEvent[], max: number): HandedOutEvent[] {
  const own: HandedOutEvent[] = [];
  let characters = 0;
  for (const one of events) {
    characters += one.event.data.length + one.event.metadata.length;
    if (own.length >= max || (own.length > 0 && characters > answerCharacters)) break;
    own.push(one);
  }
  return own;
}

function split<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

function sleepUntil(awake: Promise<void>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    void awake.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
