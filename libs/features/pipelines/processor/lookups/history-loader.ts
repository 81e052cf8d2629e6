import { setTimeout as sleep } from 'node:timers/promises';
import { sendFlushRequest } from '#engine';
import type { TopicAndGroupNames } from '#event';
import type { EpochMicros } from '#json';
import type { Producer } from '#kafka';
import {
  answerAsOf,
  lookupName,
  noHistory,
  type NoHistory,
  type ProjectionLookup,
} from '#features/pipelines/computation';
import { foldOf, type ProjectionGeneration } from '#features/projections/definition';
import { liveSources, recreatedSource, type Definitions } from '#registry';
import { statesByKey, type KeyedHistoryReader } from '#store';
import type { Logger } from '#telemetry';
import type { LoadedProjectionStates } from './load-lookups.js';

interface HistoryLoaderDependencies {
  definitions: Pick<Definitions, 'projections' | 'stream'>;
  store: KeyedHistoryReader;
  producer: Pick<Producer, 'append'>;
  topics: TopicAndGroupNames;
  logger: Pick<Logger, 'warn'>;
  /** Called at each poll, so that a consumer that waits is not taken for a hanging one. */
  waiting: () => void;
  pollMs?: number;
}

/** Maximum number of generations whose progress is remembered. */
const mostGenerations = 200;
/** Maximum number of keys whose histories one query reads: each history may have 128 Ki characters in each partition. */
const mostKeys = 100;
/** Polls after which the pause between two polls is ten times as long, and after which a log line says for what a lookup waits. */
const [quickPolls, pollsPerWarning] = [20, 30];

/**
 * Loads the states of projections as of a time. Such a state is final when the serving generation has folded all events
 * that were ingested by then, so a lookup waits for that: its answer is the same whenever it is asked for.
 */
export class HistoryLoader {
  private readonly reached = new Map<string, EpochMicros>();
  private readonly polls = new Map<string, Promise<void>>();

  constructor(private readonly dependencies: HistoryLoaderDependencies) {}

  /**
   * Resolves when the answers to these lookups are final, for which a projection may take long.
   * @throws StoreUnavailableError @throws the signal's reason, which ends the wait
   */
  async wait(lookups: readonly ProjectionLookup[], signal: AbortSignal): Promise<void> {
    for (const { projection, known } of byProjection(lookups))
      await this.generationAt(projection, known, signal);
  }

  /**
   * Adds the answers to these lookups to `found`. Waits for them as `wait` does.
   * @throws StoreUnavailableError @throws the signal's reason, which ends the wait
   */
  async load(
    lookups: readonly ProjectionLookup[],
    found: LoadedProjectionStates,
    signal: AbortSignal,
  ): Promise<void> {
    for (const { projection, known, own } of byProjection(lookups))
      for (let isLoaded = false; !isLoaded;) {
        const generation = await this.generationAt(projection, known, signal);
        if ('detail' in generation) for (const lookup of own) found.set(lookupName(lookup), generation);
        else await this.loadOf(generation, own, found);
        // Another generation may have replaced this one meanwhile, so that its histories are removed.
        isLoaded = 'detail' in generation || (await this.readProgress(generation)) >= known;
        if (!isLoaded && 'id' in generation) this.reached.delete(generation.id);
      }
  }

  private async loadOf(
    generation: ProjectionGeneration,
    lookups: readonly ProjectionLookup[],
    answers: LoadedProjectionStates,
  ): Promise<void> {
    const fold = foldOf(generation);
    const keys = [...new Set(lookups.map(({ key }) => key))];
    for (let at = 0; at < keys.length; at += mostKeys) {
      const some = new Set(keys.slice(at, at + mostKeys));
      const histories = await this.dependencies.store.histories(generation.id, [...some]);
      const own = lookups.filter(({ key }) => some.has(key));
      await answerAsOf(own, { found: statesByKey(histories), fold }, answers);
    }
  }

  /** Resolves with the serving generation when it has folded all events that were ingested by this time. */
  private async generationAt(
    projection: string,
    known: EpochMicros,
    signal: AbortSignal,
  ): Promise<ProjectionGeneration | NoHistory> {
    const { definitions, logger, waiting, pollMs = 200 } = this.dependencies;
    for (let polls = 1; ; polls++) {
      signal.throwIfAborted();
      const { serving, building, paused, failure } = definitions.projections.get(projection) ?? {};
      if (!serving && !building) return { detail: `There is no projection ${projection}.` };
      if (serving?.spec.history === undefined && building?.spec.history === undefined)
        return noHistory(projection);
      // The events of a stream that was created again are in no history until the projection is reset.
      const isServing =
        serving?.spec.history !== undefined &&
        recreatedSource(serving.spec.source.streams, serving, definitions) === undefined;
      if (isServing && (this.reached.get(serving.id) ?? -Infinity) >= known) return serving;
      waiting();
      const pauseMs = polls > quickPolls ? 10 * pollMs : pollMs;
      await (isServing ? this.poll(serving, pauseMs) : sleep(pauseMs));
      if (polls % pollsPerWarning === 0)
        logger.warn({ projection, paused, failure }, 'a look-up as of a time waits for the projection');
    }
  }

  /** Asks the generation to save its progress, and reads it. All lookups that wait for it share a poll. */
  private poll(generation: ProjectionGeneration, pauseMs: number): Promise<void> {
    const { id } = generation;
    const running = this.polls.get(id);
    if (running) return running;
    const poll = this.askForProgress(generation, pauseMs).finally(() => this.polls.delete(id));
    this.polls.set(id, poll);
    return poll;
  }

  private async askForProgress(generation: ProjectionGeneration, pauseMs: number): Promise<void> {
    const { producer, topics } = this.dependencies;
    const group = topics.projectionGroup(generation.id);
    // A lost request is repeated at the next poll.
    await sendFlushRequest(producer, topics, { group, topic: '' }).catch(() => undefined);
    await sleep(pauseMs);
    const reached = await this.readProgress(generation);
    if (this.reached.size >= mostGenerations) this.reached.clear();
    this.reached.set(generation.id, reached);
  }

  /** Resolves with the time up to which the generation has saved all ingested events; -Infinity if it was removed. */
  private async readProgress(generation: ProjectionGeneration): Promise<EpochMicros> {
    const { definitions, store } = this.dependencies;
    const saved = await store.savedProgress(generation.id);
    const watermarks = new Map(
      saved.map(({ stream, partition, watermark }) => [`${stream}/${partition}`, watermark]),
    );
    const reached = liveSources(generation, definitions).flatMap(({ stream, partitions }) =>
      Array.from(
        { length: partitions },
        (_, partition) => watermarks.get(`${stream}/${partition}`) ?? -Infinity,
      ),
    );
    return saved.length === 0 ? -Infinity : Math.min(...reached);
  }
}

/** Groups lookups by their projection, with the latest time by which the events of their states had to be ingested. */
function byProjection(lookups: readonly ProjectionLookup[]) {
  return [...new Set(lookups.map(({ projection }) => projection))].map((projection) => {
    const own = lookups.filter((lookup) => lookup.projection === projection);
    const known = own.reduce((most, { asOf }) => Math.max(most, asOf?.known ?? most), -Infinity);
    return { projection, own, known };
  });
}
