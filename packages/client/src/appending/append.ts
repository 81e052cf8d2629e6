import { isTransient } from '../errors/error-of.js';
import { EntityNotFoundError, StreamNotFoundError, VersionConflictError } from '../errors/problem-classes.js';
import { UnknownOutcomeError } from '../errors/tributary-error.js';
import { backOffMs, sleep } from '../http/back-off.js';
import type { CallOptions, HttpClient } from '../http/http-client.js';
import { parseJson } from '../json/json-text.js';
import { eventText } from '../producer/event-text.js';
import type { EntityAddress, NewEntityEvent, WaitForPositions } from '../types/index.js';

export interface AppendOptions extends CallOptions {
  /** Milliseconds after which events without an answer are rejected with an unknown outcome; default 30 000. */
  deliveryTimeoutMs?: number;
}

/** Events to append to an entity that has this version, with their ids. */
interface AppendInput {
  entity: EntityAddress;
  expectedVersion: number;
  events: readonly (NewEntityEvent & { event_id: string })[];
}

/** An appended event, and the version that it has given to its entity. */
export interface AppendedEvent {
  event_id: string;
  partition: number;
  offset: number;
  version: number;
}

/** The time-out of one request in milliseconds. The server needs up to 10 seconds to decide. */
const requestTimeoutMs = 20_000;

/**
 * Writes the events with one atomic request, which it repeats until the outcome is known. A repeat has the same ids, so the
 * events are written once.
 * @throws ProblemError if they were refused; none of them is written then. UnknownOutcomeError after the time-out
 */
export async function append(
  http: Pick<HttpClient, 'send'>,
  { entity, expectedVersion, events }: AppendInput,
  { deliveryTimeoutMs = 30_000, signal }: AppendOptions,
): Promise<AppendedEvent[]> {
  const texts = events.map((event, i) =>
    eventText({ ...event, ...entity }, event.event_id, i === 0 ? expectedVersion : undefined),
  );
  const body = `{"events":[${texts.join(',')}]}`;
  const deadline = performance.now() + deliveryTimeoutMs;
  for (let attempts = 1; ; attempts++) {
    const leftMs = Math.max(1, deadline - performance.now());
    try {
      const answer = await http.send({
        ...{ method: 'POST', path: '/api/v1/events/batch', query: { atomic: true }, body, signal },
        timeoutMs: Math.min(requestTimeoutMs, leftMs),
      });
      const written = parseJson<{ events: (AppendedEvent & { version: number | null })[] }>(
        answer.text,
      ).events;
      // An event that was erased meanwhile has no version any more.
      return written.map((event, i) => ({ ...event, version: event.version ?? expectedVersion + 1 + i }));
    } catch (error) {
      if (!isTransient(error)) throw error;
      const wait = backOffMs(attempts, error);
      if (performance.now() + wait >= deadline)
        throw new UnknownOutcomeError(events[0]!.event_id, attempts, error);
      await sleep(wait, signal);
    }
  }
}

/** The state of an entity at one of its versions. Before its first event it has the version 0 and no state. */
export interface VersionedState<State> {
  version: number;
  state: State | undefined;
}

/** Returns the events that follow from a state, or none. After a conflict it is called again with the new state. */
export type DecideFunction<State> = (
  state: State | undefined,
  version: number,
) => readonly NewEntityEvent[] | undefined | Promise<readonly NewEntityEvent[] | undefined>;

export interface DecideOptions<State> extends AppendOptions {
  /** The maximum number of decisions; default 5. The conflict of the last one is thrown. */
  attempts?: number;
  /** Reads the state. Default: `client.state`, the merged data of the events. */
  read?: (options: WaitForPositions & CallOptions) => Promise<VersionedState<State>>;
}

/** The requests of a decision. */
interface DecideRequests<State> {
  read: () => Promise<VersionedState<State>>;
  append: (version: number, events: readonly NewEntityEvent[]) => Promise<number[]>;
}

/** Milliseconds within which the event that caused a conflict can be read, unless its entity was erased. */
const visibleMs = 10_000;

/** Reads, decides and appends; starts again if another writer was faster. Returns the versions of the events. */
export async function decide<State>(
  port: DecideRequests<State>,
  decision: DecideFunction<State>,
  { attempts = 5, signal }: CallOptions & { attempts?: number },
): Promise<number[]> {
  let conflict: VersionConflictError | undefined;
  for (let attempt = 1; ; attempt++) {
    const { state, version } = await readFrom(port, conflict?.currentVersion ?? 0, signal);
    const events = await decision(state, version);
    if (!events?.length) return [];
    try {
      return await port.append(version, events);
    } catch (error) {
      if (!(error instanceof VersionConflictError) || attempt >= attempts) throw error;
      conflict = error;
      await sleep(backOffMs(attempt, error), signal);
    }
  }
}

/** Reads the state until it has at least this version: a read shows an accepted event after a short time. */
async function readFrom<State>(
  port: DecideRequests<State>,
  least: number,
  signal: AbortSignal | undefined,
): Promise<VersionedState<State>> {
  const until = performance.now() + visibleMs;
  for (;;) {
    const found = await port.read().catch(noState<State>);
    if (found.version >= least || performance.now() >= until) return found;
    await sleep(backOffMs(0, undefined), signal);
  }
}

/** Converts the error of an entity without events. */
function noState<State>(error: unknown): VersionedState<State> {
  if (error instanceof EntityNotFoundError || error instanceof StreamNotFoundError)
    return { version: 0, state: undefined };
  throw error;
}
