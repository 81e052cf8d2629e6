import { setTimeout as sleep } from 'node:timers/promises';
import { sendFlushRequest } from '#engine';
import type { TopicAndGroupNames } from '#event';
import type { EpochMicros } from '#json';
import type { Producer } from '#kafka';
import {
  answersAsOf,
  lookupName,
  noHistory,
  type NoHistory,
  type ProjectionLookup,
} from '#features/pipelines/computation';
import { foldOf, type ProjectionGeneration } from '#features/projections/definition';
import { liveSources, type Definitions } from '#registry';
import { maxStateKeys, statesByKey, type KeyedStateReader } from '#store';
import type { Logger } from '#telemetry';
import type { LoadedProjectionStates } from './load-lookups.js';

interface HistoryLoaderDependencies {
  definitions: Pick<Definitions, 'projections' | 'stream'>;
  store: Pick<KeyedStateReader, 'find' | 'progress'>;
  producer: Pick<Producer, 'append'>;
  topics: TopicAndGroupNames;
  logger: Pick<Logger, 'warn'>;
  /** Called at each poll, so that a consumer that waits is not taken for a hanging one. */
  waiting: () => void;
  pollMs?: number;
}

/** Maximum number of generations whose progress is remembered. */
const mostGenerations = 200;
/** Polls after which a log line says that a lookup still waits, and again after as many. */
const pollsPerWarning = 150;

/**
 * Loads the states of projections as of a time. Such a state is final when the serving generation has folded all events
 * that were ingested by then, so a lookup waits for that: its answer is the same whenever it is asked for.
 */
export class HistoryLoader {
  private readonly reached = new Map<string, EpochMicros>();
  private readonly polls = new Map<string, Promise<void>>();

  constructor(private readonly dependencies: HistoryLoaderDependencies) {}

  /**
   * Adds the answers to these lookups to `found`.
   * @throws StoreUnavailableError @throws the signal's reason, which ends the wait
   */
  async load(
    lookups: readonly ProjectionLookup[],
    found: LoadedProjectionStates,
    signal: AbortSignal,
  ): Promise<void> {
    for (const projection of new Set(lookups.map((lookup) => lookup.projection))) {
      const own = lookups.filter((lookup) => lookup.projection === projection);
      const known = own.reduce((most, { asOf }) => Math.max(most, asOf?.known ?? most), -Infinity);
      for (let isLoaded = false; !isLoaded;) {
        const generation = await this.generationAt(projection, known, signal);
        isLoaded = 'detail' in generation || (await this.loadOf(generation, own, found));
        if ('detail' in generation) for (const lookup of own) found.set(lookupName(lookup), generation);
      }
    }
  }

  /** Resolves with false if another generation has replaced this one meanwhile, so that its histories are removed. */
  private async loadOf(
    generation: ProjectionGeneration,
    lookups: readonly ProjectionLookup[],
    found: LoadedProjectionStates,
  ): Promise<boolean> {
    const { store } = this.dependencies;
    for (let at = 0; at < lookups.length; at += maxStateKeys) {
      const some = lookups.slice(at, at + maxStateKeys);
      const keys = [...new Set(some.map(({ key }) => key))];
      const histories = await store.find(generation.id, keys, { histories: true });
      for (const [name, answer] of answersAsOf(some, statesByKey(histories), foldOf(generation)))
        found.set(name, answer);
    }
    if ((await store.progress([generation.id])).length > 0) return true;
    this.reached.delete(generation.id);
    return false;
  }

  /** Resolves with the serving generation when it has folded all events that were ingested by this time. */
  private async generationAt(
    projection: string,
    known: EpochMicros,
    signal: AbortSignal,
  ): Promise<ProjectionGeneration | NoHistory> {
    const { definitions, logger } = this.dependencies;
    for (let polls = 1; ; polls++) {
      signal.throwIfAborted();
      const { serving, building, paused } = definitions.projections.get(projection) ?? {};
      if (!serving && !building) return { detail: `There is no projection ${projection}.` };
      if (serving?.spec.history === undefined && building?.spec.history === undefined)
        return noHistory(projection);
      const isKept = serving?.spec.history !== undefined;
      if (isKept && (this.reached.get(serving.id) ?? -Infinity) >= known) return serving;
      await (isKept ? this.poll(serving) : sleep(this.pollMs));
      if (polls % pollsPerWarning === 0)
        logger.warn({ projection, paused }, 'a look-up as of a time waits for the projection');
    }
  }

  /** Asks the generation to save its progress, and reads it. All lookups that wait for it share a poll. */
  private poll(generation: ProjectionGeneration): Promise<void> {
    const { id } = generation;
    const running = this.polls.get(id);
    if (running) return running;
    const poll = this.readProgress(generation).finally(() => this.polls.delete(id));
    this.polls.set(id, poll);
    return poll;
  }

  private async readProgress(generation: ProjectionGeneration): Promise<void> {
    const { definitions, store, producer, topics, waiting } = this.dependencies;
    const sources = liveSources(generation, definitions);
    waiting();
    const group = topics.projectionGroup(generation.id);
    const topic = sources[0] ? topics.ofStream(sources[0].id) : '';
    // A lost request is repeated at the next poll.
    await sendFlushRequest(producer, topics, { group, topic }).catch(() => undefined);
    await sleep(this.pollMs);
    const saved = await store.progress([generation.id]);
    const watermarks = new Map(
      saved.map(({ stream, partition, watermark }) => [`${stream}/${partition}`, watermark]),
    );
    const reached = sources.flatMap(({ stream, partitions }) =>
      Array.from(
        { length: partitions },
        (_, partition) => watermarks.get(`${stream}/${partition}`) ?? -Infinity,
      ),
    );
    if (this.reached.size >= mostGenerations) this.reached.clear();
    this.reached.set(generation.id, Math.min(...reached));
  }

  private get pollMs(): number {
    return this.dependencies.pollMs ?? 200;
  }
}
