import { TributaryError } from '../errors/tributary-error.js';
import type { CallOptions } from '../http/http-client.js';
import type { Producer } from '../producer/producer.js';
import type { EntityAddress, NewEntityEvent, WaitForPositions } from '../types/index.js';
import { EntityNotFoundError, StreamNotFoundError, VersionConflictError } from '../errors/problem-classes.js';
import { backOffMs, sleep } from '../http/back-off.js';

export interface AppendOptions extends CallOptions {
  /** Milliseconds after which an event without an answer is rejected with an unknown outcome; default 30 000. */
  deliveryTimeoutMs?: number;
}

/** Events to append to an entity that has this version. */
interface AppendInput {
  entity: EntityAddress;
  expectedVersion: number;
  events: readonly NewEntityEvent[];
}

/**
 * Sends the events one after the other, each when the one before was accepted, and returns their versions. The first
 * error ends the append, and says how many events were written.
 */
export async function append(
  producer: Pick<Producer, 'send'>,
  { entity: { stream, entity_id }, expectedVersion, events }: AppendInput,
  options: CallOptions,
): Promise<number[]> {
  const versions: number[] = [];
  try {
    let expected = expectedVersion;
    for (const event of events) {
      const sent = { ...event, stream, entity_id };
      const written = await producer.send(sent, { ...options, expectedVersion: expected });
      // A repeated event has the version that it got the first time.
      expected = written.version ?? expected + 1;
      versions.push(expected);
    }
  } catch (error) {
    if (error instanceof TributaryError) error.appended = versions.length;
    throw error;
  }
  return versions;
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
      // If some events were written, another decision could contradict them.
      if (!(error instanceof VersionConflictError) || error.appended || attempt >= attempts) throw error;
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
