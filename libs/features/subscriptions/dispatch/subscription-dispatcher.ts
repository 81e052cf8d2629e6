import { durationMs, ProblemError } from '#api';
import type { SubscriptionDefinition } from '#features/subscriptions/definition';
import type { StoredEvent } from '#event';
import { refOf, type Delivery } from '../state/delivery.js';
import type { EventRef, HandOutRef } from '../state/subscription-command.js';
import type { GrantedDelivery } from '../state/subscription-state.js';
import type { SubscriptionLog } from '../log/subscription-log.js';
import { EventLoader, keyOf } from './event-loader.js';
import { SourceBuffer, type TakenEvents } from './source-buffer.js';
import type { ProgressFollower, StoredProgress } from './stored-progress.js';

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
  topics: ProgressFollower['topics'];
}

/** A worker that waits for events. */
interface WaitingReceiver {
  max: number;
  resolve: (events: readonly HandedOutEvent[]) => void;
  reject: (error: unknown) => void;
}

/** Limits of one claim. */
const most = { events: 1_000, again: 200 };
/** Limit of the events of one answer, in characters of `data` and `metadata`. */
const answerCharacters = 8 * 1024 * 1024;
/** A subscription with so many events that are not done takes up no further ones. */
export const mostOpen = 50_000;
/** Milliseconds after a claim that has brought nothing, although something seemed to be due. */
const pauseMs = 20;
const longestWaitMs = 1_000;

/**
 * Hands the events of one subscription to the workers that ask this process. All that wait share one claim, and claims follow each
 * other. Nothing runs while nobody waits.
 */
export class SubscriptionDispatcher {
  private readonly waiting = new Set<WaitingReceiver>();
  private running: Promise<void> | undefined;
  private wake: () => void = () => undefined;
  /** Aborted when nobody waits any more. */
  private ended = new AbortController();
  /** When somebody was here last, in milliseconds of `performance.now()`. */
  lastUsed = performance.now();

  constructor(private readonly options: SubscriptionDispatcherOptions) {}

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
        const receiver: WaitingReceiver = { max, resolve, reject };
        const timer = setTimeout(() => resolve([]), waitMs);
        const gone = () => reject(client.reason as Error);
        client.addEventListener('abort', gone, { once: true });
        leave = () => {
          clearTimeout(timer);
          client.removeEventListener('abort', gone);
          this.waiting.delete(receiver);
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

  /** Answers all that wait with what there is: nothing. */
  close(): void {
    for (const receiver of [...this.waiting]) receiver.resolve([]);
    this.waiting.clear();
    this.wake();
  }

  private async run(): Promise<void> {
    const { log, run, progress, topics } = this.options;
    this.ended = new AbortController();
    const wake = () => this.wake();
    const unfollow = progress.follow({ topics, moved: wake });
    const unsubscribe = log.onChange(run, wake);
    try {
      while (this.waiting.size > 0) {
        let isAwake = false;
        let woken: () => void = () => undefined;
        const awake = new Promise<void>((resolve) => (woken = resolve));
        this.wake = () => {
          isAwake = true;
          woken();
        };
        const waitMs = await this.round();
        if (waitMs > 0 && !isAwake) await sleepUntil(awake, waitMs);
      }
    } catch (error) {
      for (const receiver of [...this.waiting]) receiver.reject(error);
    } finally {
      this.ended.abort();
      unfollow();
      unsubscribe();
      this.running = undefined;
      // Somebody came while the last round ended.
      if (this.waiting.size > 0) this.running = this.run();
    }
  }

  /** Hands out what can be handed out now. Resolves with the milliseconds after which that may be different. */
  private async round(): Promise<number> {
    const { log, run, buffer, progress } = this.options;
    const { spec } = this.requireRunning();
    const state = await log.stateOf(run);
    const desired = Math.min(most.events, sum([...this.waiting].map(({ max }) => max)));
    if (desired === 0) return 0;
    const due = state.claimable(log.now, Math.min(desired, most.again));
    const [exhausted, again] = split(due, ({ status, attempt }) => {
      return status === 'out' && attempt >= spec.retry.attempts;
    });
    const room = Math.max(0, Math.min(desired - again.length, spec.max_outstanding - state.counts.out));
    const taken: TakenEvents = state.open < mostOpen ? buffer.take(state, room) : { fresh: [], events: [] };
    const hasRoom = again.some(({ status }) => status === 'out') || state.counts.out < spec.max_outstanding;
    if (exhausted.length + taken.fresh.length > 0 || (again.length > 0 && hasRoom)) {
      const count = await this.claim({ exhausted, again, taken }, spec);
      return count > 0 || taken.fresh.length > 0 ? 0 : pauseMs;
    }
    const isRead = buffer.length === 0 && (await buffer.fill(state, progress.offsets, this.ended.signal));
    if (isRead) return 0;
    const next = hasRoom ? state.nextDue : undefined;
    return next === undefined ? longestWaitMs : Math.min(longestWaitMs, Math.max(1, next - log.now));
  }

  private async claim(
    { exhausted, again, taken }: { exhausted: Delivery[]; again: Delivery[]; taken: TakenEvents },
    spec: SubscriptionDefinition['spec'],
  ): Promise<number> {
    const { log, run, loader } = this.options;
    const lease = durationMs(spec.ack_within);
    const began = performance.now();
    const { granted } = await log.execute(run, {
      type: 'claim',
      lease,
      most: spec.max_outstanding,
      parkedBlocks: spec.parked_blocks,
      park: exhausted.map(refOf),
      again: again.map(refOf),
      fresh: taken.fresh,
    });
    loader.keep(withRefs(taken));
    if (granted.length === 0) return 0;
    const events = await loader.load(granted.map(eventOf), this.ended.signal);
    await this.distribute(granted, { events, usableUntil: began + lease });
    return granted.length;
  }

  /** Gives the events to those who wait, and gives back what nobody can take. */
  private async distribute(
    granted: readonly GrantedDelivery[],
    { events, usableUntil }: { events: ReadonlyMap<string, StoredEvent>; usableUntil: number },
  ): Promise<void> {
    const { log, run, loader } = this.options;
    const release: HandOutRef[] = [];
    const gone: HandOutRef[] = [];
    const found: HandedOutEvent[] = [];
    for (const delivery of granted) {
      const ref = eventOf(delivery);
      const event = events.get(keyOf(ref));
      const handOut: HandOutRef = [...ref, delivery.claim];
      if (event) found.push({ handOut, attempt: delivery.attempt, event, usableUntil });
      else (loader.isGone(ref) ? gone : release).push(handOut);
    }
    for (const receiver of [...this.waiting]) {
      const own = firstOf(found, receiver.max);
      if (own.length === 0) break;
      found.splice(0, own.length);
      this.waiting.delete(receiver);
      receiver.resolve(own);
    }
    release.push(...found.map(({ handOut }) => handOut));
    if (release.length + gone.length > 0)
      await log.execute(run, { type: 'settle', ack: gone, nack: [], extend: [], release, lease: 0 });
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

function eventOf({ source, partition, offset }: GrantedDelivery): EventRef {
  return [source, partition, offset];
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
