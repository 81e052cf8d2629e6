import type { StreamInput } from '#api';
import type { StreamId, TopicAndGroupNames } from '#event';
import type { Log } from '#kafka';
import { gauge, onScrape } from '#telemetry';
import { AuditWriter, type AuditEventContent } from './audit/audit-writer.js';
import { definitionsTopic, DefinitionsTopicWriter } from './changes/definitions-topic-writer.js';
import { KeyedMutex } from './changes/keyed-mutex.js';
import { LogResourceStore } from './changes/log-resource-store.js';
import { DefinitionsTopicFollower } from './definitions-topic-follower.js';
import { DefinitionsView } from './definitions-view.js';
import { erasureKind } from './erasures/erasure-kind.js';
import { kindPattern } from './resources/definition-change-record.js';
import type { ResourceKind, ResourceRules } from './resources/resource-kind.js';
import type { Actor, ResourceStores } from './resources/resource-store.js';
import { changeStream } from './streams/change-stream.js';
import { shardsOfStream } from './streams/shards-of-stream.js';
import {
  StreamCreator,
  type StreamCreationResult,
  type StreamOperationDependencies,
} from './streams/stream-creator.js';
import { streamRules, visibleStream, type StreamDefinition } from './streams/stream-definition.js';
import { StreamDeleter, type RemoveStreamRows } from './streams/stream-deleter.js';

const definitionsAgeSeconds = gauge('tributary_definitions_age_seconds', {
  help: 'Seconds since this process last knew its definitions to be current; infinite before the first time.',
});
const definitionsUnreadable = gauge('tributary_definitions_unreadable', {
  help: 'Records of the definitions topic that this process could not parse, since its start.',
});

/** Log, topic names, defaults and limits of `openDefinitions`. */
export interface DefinitionsOptions {
  log: Log;
  names: TopicAndGroupNames;
  /** Number of partitions of a stream that is created without one. */
  defaults: { partitions: number };
  /** The kinds of definitions that this process knows beside streams and erasures. Records of other kinds are ignored. */
  kinds: readonly ResourceKind[];
  /** Maximum number of definitions, by kind; default: the limit in the rules of the kind. */
  most?: Readonly<Record<string, number>>;
  /** Maximum size of all records of one kind of definition, in bytes; default: 128 MiB. */
  mostBytes?: number;
}

const defaultMostBytes = 128 * 1024 * 1024;
/** The most changes that one process may run at a time, including waiting ones. */
const maxChanges = 2_000;

/** The definitions of an installation: its streams, and a store for each other kind that the process knows. */
export type Definitions = LogDefinitions & ResourceStores;

/**
 * Returns the definitions of one installation. The definitions topic is not read before the call of `start`.
 * @throws RangeError if two kinds have the same name or the same store, if keys of records cannot contain the name of a
 * kind, or if a store has the name of another member of the definitions
 */
export function openDefinitions(options: DefinitionsOptions): Definitions {
  const definitions = new LogDefinitions(options);
  const taken = options.kinds.find(({ store }) => store in definitions);
  if (taken) throw new RangeError(`The store of the kind ${taken.kind} cannot be named ${taken.store}.`);
  return Object.assign(definitions, definitions.stores);
}

/**
 * Definitions are stored in one compacted Kafka topic; every process keeps a materialized view of it in memory. Before
 * the call of a change resolves, the change is written as an event to the stream `tributary.audit`. If that event cannot
 * be written, the call rejects with log_unavailable, although the change is in effect. Erasures belong to the core,
 * because a stream is deleted with them.
 */
class LogDefinitions {
  readonly stores: ResourceStores;
  private readonly kinds: readonly ResourceKind[];
  private readonly follower: DefinitionsTopicFollower;
  private readonly writer: DefinitionsTopicWriter;
  private readonly auditWriter: AuditWriter;
  private readonly mutex = new KeyedMutex(maxChanges);
  private readonly streamDependencies: StreamOperationDependencies;
  private readonly creator: StreamCreator;
  private readonly deleter: StreamDeleter;
  private stopMetrics: (() => void) | undefined;

  constructor(private readonly options: DefinitionsOptions) {
    const { log, names, defaults } = options;
    this.kinds = [erasureKind, ...options.kinds];
    rejectDuplicates([streamRules, ...this.kinds], 'kind');
    rejectDuplicates(this.kinds, 'store');
    const unreadable = this.kinds.find(({ kind }) => !kindPattern.test(kind));
    if (unreadable)
      throw new RangeError(`The kind ${unreadable.kind} is not 1 to 32 small letters and underscores.`);
    const newView = () => new DefinitionsView(this.kinds);
    this.follower = new DefinitionsTopicFollower(log, names.definitions, newView);
    this.writer = new DefinitionsTopicWriter(log, names);
    this.auditWriter = new AuditWriter(names, this.writer, () => this.creator.auditStream());
    const stores = this.kinds.map((kind) => [kind.store, this.storeOf(kind)] as const);
    this.stores = Object.fromEntries(stores) as unknown as ResourceStores;
    this.streamDependencies = {
      log,
      names,
      defaults,
      streams: this.storeOf(streamRules),
      erasures: this.stores.erasures,
      upToDate: () => this.follower.start(),
    };
    this.creator = new StreamCreator(this.streamDependencies);
    this.deleter = new StreamDeleter(this.streamDependencies);
  }

  private storeOf<T, P>(rules: ResourceRules<T, P>): LogResourceStore<T, P> {
    const { most, mostBytes = defaultMostBytes } = this.options;
    return new LogResourceStore(rules, {
      follower: this.follower,
      writer: this.writer,
      audit: this.auditWriter,
      mutex: this.mutex,
      most: most?.[rules.kind] ?? rules.most,
      mostBytes,
    });
  }

  /**
   * Starts to read the definitions topic. Resolves when the view contains every record that was in the topic at the
   * time of the call.
   */
  async start(): Promise<void> {
    this.stopMetrics ??= onScrape(() => {
      definitionsAgeSeconds.set(this.ageMs / 1000);
      definitionsUnreadable.set(this.unreadable);
    });
    const { log, names } = this.options;
    await log.admin.create(names.definitions, definitionsTopic);
    await this.follower.start();
  }

  /**
   * Returns the definition of the stream with this name, also while the stream is being deleted: check its `state`.
   * Returns undefined while it is being created.
   */
  stream(name: string): StreamDefinition | undefined {
    return visibleStream(this.follower.view.streams.get(name));
  }

  /**
   * Returns the definitions of all streams, including streams that are being deleted and reserved streams such as the
   * audit stream.
   */
  streams(): StreamDefinition[] {
    return this.follower.view.streams.all().filter(visibleStream);
  }

  /**
   * Chooses the stream's id, creates its topic and announces the stream. Resolves when this process's view has the
   * stream. If several callers create it at once, the first in the order of the log wins, and the others receive its
   * definition with `created: false`.
   * @throws ProblemError stream_name_collision, stream_limit_reached, stream_reserved, stream_being_deleted,
   * log_unavailable
   */
  createStream(stream: StreamInput, actor: Actor): Promise<StreamCreationResult> {
    return this.creator.create(stream, actor);
  }

  /**
   * Changes the retention or `snapshot_every` of a stream, and the settings of its topic. Other members of the result
   * of `next` are ignored. A repeated call applies settings that could not be applied to the topic before.
   * @throws ProblemError stream_not_found, stream_reserved, stream_being_deleted, log_unavailable
   */
  changeStream(
    name: string,
    next: (current: StreamDefinition) => StreamDefinition,
    actor: Actor,
  ): Promise<StreamDefinition> {
    return changeStream(this.streamDependencies, { name, next }, actor);
  }

  /**
   * Returns over how many of the store's first shards the partitions of a stream are spread. The first call writes `shards` down.
   * @throws ProblemError stream_not_found if the stream is deleted, definition_conflict, log_unavailable
   */
  shardsOf(id: StreamId, shards: number): Promise<number> {
    return shardsOfStream(this.streamDependencies, id, shards);
  }

  /**
   * Starts the first phase of a deletion: from now on, nobody can write to the stream or read it.
   * @throws ProblemError stream_not_found, stream_reserved, log_unavailable
   */
  beginDeletion(name: string, actor: Actor): Promise<StreamDefinition> {
    return this.deleter.begin(name, actor);
  }

  /**
   * Deletes a stream, or continues a deletion that another process has begun. The deletion removes the topic, then the
   * stream's rows, then its erasures, then the definition; the name is free after that. If a step fails, the caller can
   * repeat the call. Several processes may delete the same stream at once.
   * @throws ProblemError stream_not_found, stream_reserved, log_unavailable, and any error of `removeRows`
   */
  deleteStream(name: string, removeRows: RemoveStreamRows, actor: Actor): Promise<void> {
    return this.deleter.delete(name, removeRows, actor);
  }

  /** Finishes the deletion of the stream with this id, which has begun. Does nothing if it is not being deleted. */
  finishDeletion(id: StreamId, removeRows: RemoveStreamRows, actor: Actor): Promise<void> {
    return this.deleter.finish(id, removeRows, actor);
  }

  /** Returns the number of definitions whose work has failed, by store, for each kind that has such definitions. */
  failed(): Readonly<Record<string, number>> {
    const failed: Record<string, number> = {};
    for (const kind of this.kinds) {
      if (!kind.failureOf) continue;
      const values = this.follower.view.of(kind).all();
      failed[kind.store] = values.filter((value) => kind.failureOf?.(value) !== null).length;
    }
    return failed;
  }

  /**
   * Appends an event to the audit stream that does not report the change of a definition, such as a finished erasure.
   * @throws ProblemError log_unavailable
   */
  audit(entry: AuditEventContent, actor: Actor): Promise<void> {
    return this.auditWriter.note(entry, actor);
  }

  /** Adds a listener for changes of this process's view of the definitions. Returns a function that removes it. */
  onChange(listener: () => void): () => void {
    return this.follower.onChange(listener);
  }

  /** Number of records of the definitions topic that this process could not read. */
  get unreadable(): number {
    return this.follower.view.unreadable;
  }

  /**
   * The error that stopped the reader of the definitions topic; undefined while it works. Reads are still answered from
   * the last view; new readers are tried in the background, and `start` tries one at once.
   */
  get failure(): Error | undefined {
    return this.follower.failure;
  }

  /**
   * Milliseconds since Kafka last answered a read of the definitions topic: later changes may be missing from the view.
   * Normally it is at most 500; it grows while Kafka cannot be reached, and is Infinity before the first answer.
   */
  get ageMs(): number {
    return this.follower.ageMs;
  }

  async close(): Promise<void> {
    this.stopMetrics?.();
    await this.creator.idle();
    await this.mutex.idle();
    await this.follower.close();
    await this.writer.close();
  }
}

function rejectDuplicates<M extends string>(kinds: readonly Record<M, string>[], member: M): void {
  const values = kinds.map((kind) => kind[member]);
  const twice = values.find((value, index) => values.indexOf(value) < index);
  if (twice !== undefined)
    throw new RangeError(`Two kinds of definitions have the same ${member}: ${twice}.`);
}
