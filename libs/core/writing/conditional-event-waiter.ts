import { ProblemError } from '#api';
import { within } from '#async';
import { limits } from '#event';
import { LogUnavailableError } from '#kafka';
import { VerdictWaiters, type Verdict, type VerdictTable } from '#verdicts';
import type { AppendedEvent } from './read-event.js';
import { EventRejection } from './rejection.js';
import './write-problems.js';

/** Most conditional events of all requests that wait for their verdicts at the same time. */
const mostWaiting = 50_000;
const retryAfterSeconds = 1;

/** Waits for the verdicts on conditional events. The materializer decides them in the order of the log. */
export class ConditionalEventWaiter {
  private readonly waiters: VerdictWaiters;
  private waiting = 0;

  constructor(
    private readonly table: VerdictTable,
    private readonly waitMs: number = limits.waitForMs,
  ) {
    this.waiters = new VerdictWaiters(table);
  }

  /**
   * Must be called before conditional events are appended. Returns a function that ends the wait.
   * @throws ProblemError 400 for too many events, 503 `overloaded` or `log_unavailable`; nothing is appended then
   */
  async begin(count: number): Promise<() => void> {
    if (count > limits.batchEvents) throw tooMany();
    if (this.waiting + count > mostWaiting)
      throw new ProblemError('overloaded', 'Too many conditional writes wait for their verdicts.', {
        retryAfterSeconds,
      });
    this.waiting += count;
    const end = this.waiters.begin();
    const release = () => {
      this.waiting -= count;
      end();
    };
    try {
      if (!this.table.isReady) await this.ready();
      return release;
    } catch (error) {
      release();
      throw error;
    }
  }

  /**
   * Resolves with the results of appended conditional events, in their order: accepted with a version, or rejected with
   * `version_conflict`, or `undecided` if the verdict takes too long.
   * @param topics The topic of each event, in order.
   */
  decided(
    events: readonly AppendedEvent[],
    topics: readonly string[],
  ): Promise<(AppendedEvent | EventRejection)[]> {
    return Promise.all(events.map((event, i) => this.decide(event, topics[i]!)));
  }

  private async decide(appended: AppendedEvent, topic: string): Promise<AppendedEvent | EventRejection> {
    const verdict = await this.waiters.of({ topic, ...appended.position }, this.waitMs);
    return verdict ? resultOf(appended, verdict) : undecided.keptAt(appended.position);
  }

  private async ready(): Promise<void> {
    try {
      await within(this.waitMs, this.table.ready(), tooLate);
    } catch (error) {
      if (!(error instanceof LogUnavailableError)) throw error;
      const detail = 'Verdicts on conditional writes cannot be read: Kafka cannot be reached.';
      throw new ProblemError('log_unavailable', detail, { retryAfterSeconds, cause: error });
    }
  }
}

const undecided = new EventRejection(
  'undecided',
  'The conditional write is in the log, but it is not decided yet: the materializer or ClickHouse may be unavailable. ' +
    'Repeat it with the same event_id: the answer then says whether it was accepted.',
);

const partialRepeat = new EventRejection(
  'partial_repeat',
  'Some events of the atomic batch were accepted before, and others were not, so none of them was written now. ' +
    'Repeat a batch with all of its events, or send others with event ids of their own.',
);

function resultOf(appended: AppendedEvent, verdict: Verdict): AppendedEvent | EventRejection {
  const { current_version: current, version = null, repeated } = verdict;
  if (current === undefined) {
    appended.version = version;
    if (repeated) appended.repeated = true;
    return appended;
  }
  if (verdict.partial) return partialRepeat.keptAt(appended.position, current);
  const { entity_id, expected_version } = appended.event;
  const detail =
    `The entity ${JSON.stringify(entity_id)} has version ${current}, not ${expected_version}. ` +
    'Read it again, decide again, and send the event with the version that you have seen.';
  return new EventRejection('version_conflict', detail).keptAt(appended.position, current);
}

function tooMany(): ProblemError {
  const detail = `A request may have ${limits.batchEvents} events with an expected_version at most.`;
  return new ProblemError('invalid_request', detail);
}

function tooLate(): never {
  throw new LogUnavailableError('the verdicts were not read in time');
}
