import type { StreamInput } from '#api';
import type { StreamId, TopicAndGroupNames } from '#event';
import type { Log } from '#kafka';
import { onScrape } from '#telemetry';
import type { AuditEventContent } from './audit/audit-event.js';
import { AuditWriter } from './audit/audit-writer.js';
import type { Definitions } from './definitions.js';
import { DefinitionsView } from './definitions-view.js';
import { erasureKind } from './erasures/erasure-kind.js';
import type { ResourceKind, ResourceRules } from './resources/resource-kind.js';
import type { Actor, ResourceStores } from './resources/resource-store.js';
import { LogResourceStore } from './changes/log-resource-store.js';
import { changeStream } from './streams/change-stream.js';
import { StreamDeletionService } from './streams/stream-deletion-service.js';
import type { StreamDefinition } from './streams/stream-definition.js';
import type { StreamCreationResult, RemoveStreamRows } from './streams/stream-creation-result.js';
import { StreamCreationService } from './streams/stream-creation-service.js';
import { streamRules, visibleStream } from './streams/stream-rules.js';
import type { StreamOperationDependencies } from './streams/stream-operation-dependencies.js';
import { DefinitionsTopicFollower } from './definitions-topic-follower.js';
import { definitionsTopic, DefinitionsTopicWriter } from './changes/definitions-topic-writer.js';
import { KeyedMutex } from './changes/keyed-mutex.js';
import { definitionsAgeSeconds, definitionsUnreadable } from './definitions-metrics.js';
import { kindPattern } from './resources/definition-change-record.js';

/** Log, topic names, defaults and limits of `openDefinitions`. */
export interface DefinitionsOptions {
  log: Log;
  names: TopicAndGroupNames;
  /** Number of partitions of a stream that is created without one. */
  defaults: { partitions: number };
  /**
   * The kinds of definitions that this process knows beside streams and erasures. Records of other kinds are ignored.
   */
  kinds: readonly ResourceKind[];
  /** Maximum number of definitions, by kind; default: the limit in the rules of the kind. */
  most?: Readonly<Record<string, number>>;
  /** Maximum size of all records of one kind of definition, in bytes; default: 128 MiB. */
  mostBytes?: number;
}

/** Longest time, in milliseconds, that a change waits until the view contains the record that it has written. */
const viewTimeoutMs = 10_000;
const mostBytes = 128 * 1024 * 1024;
/** The most changes that one process may run at a time, including waiting ones. */
const maxChanges = 2_000;

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

/** Streams, and the stores of all other kinds. Erasures belong to the core, because a stream is deleted with them. */
class LogDefinitions implements Omit<Definitions, keyof ResourceStores> {
  readonly stores: ResourceStores;
  private readonly kinds: readonly ResourceKind[];
  private readonly follower: DefinitionsTopicFollower;
  private readonly writer: DefinitionsTopicWriter;
  private readonly trail: AuditWriter;
  private readonly mutex = new KeyedMutex(maxChanges);
  private readonly streamDependencies: StreamOperationDependencies;
  private readonly creations: StreamCreationService;
  private readonly deletions: StreamDeletionService;
  private endShowing: (() => void) | undefined;

  constructor(private readonly options: DefinitionsOptions) {
    const { log, names, defaults } = options;
    this.kinds = [erasureKind, ...options.kinds];
    rejectDuplicates([streamRules, ...this.kinds], 'kind');
    rejectDuplicates(this.kinds, 'store');
    const unreadable = this.kinds.find(({ kind }) => !kindPattern.test(kind));
    if (unreadable)
      throw new RangeError(`The kind ${unreadable.kind} is not 1 to 32 small letters and underscores.`);
    this.follower = new DefinitionsTopicFollower(
      log,
      names.definitions,
      () => new DefinitionsView(this.kinds),
    );
    this.writer = new DefinitionsTopicWriter(log, names);
    this.trail = new AuditWriter({
      names,
      producer: () => this.writer.producer(),
      stream: () => this.creations.audit(),
    });
    const stores = this.kinds.map((kind) => [kind.store, this.storeOf(kind)] as const);
    this.stores = Object.fromEntries(stores) as unknown as ResourceStores;
    this.streamDependencies = {
      ...{ log, names, defaults },
      kind: this.storeOf(streamRules),
      erasures: this.stores.erasures,
      upToDate: () => this.follower.start(),
    };
    this.creations = new StreamCreationService(this.streamDependencies);
    this.deletions = new StreamDeletionService(this.streamDependencies);
  }

  private storeOf<T, P>(rules: ResourceRules<T, P>): LogResourceStore<T, P> {
    return new LogResourceStore({
      rules,
      fold: () => this.follower.view.of(rules),
      writer: this.writer,
      audit: this.trail,
      mutex: this.mutex,
      most: this.options.most?.[rules.kind] ?? rules.most,
      mostBytes: this.options.mostBytes ?? mostBytes,
      caughtUp: (offset) => this.follower.caughtUp(offset, viewTimeoutMs),
    });
  }

  async start(): Promise<void> {
    this.endShowing ??= onScrape(() => {
      definitionsAgeSeconds.set(this.ageMs / 1000);
      definitionsUnreadable.set(this.unreadable);
    });
    const { log, names } = this.options;
    await log.admin.create(names.definitions, definitionsTopic);
    await this.follower.start();
  }

  stream(name: string): StreamDefinition | undefined {
    return visibleStream(this.follower.view.streams.get(name));
  }

  streams(): StreamDefinition[] {
    return this.follower.view.streams.all().filter(visibleStream);
  }

  createStream(wanted: StreamInput, actor: Actor): Promise<StreamCreationResult> {
    return this.creations.create(wanted, actor);
  }

  changeStream(
    name: string,
    next: (current: StreamDefinition) => StreamDefinition,
    actor: Actor,
  ): Promise<StreamDefinition> {
    return changeStream(this.streamDependencies, { name, next }, actor);
  }

  beginDeletion(name: string, actor: Actor): Promise<StreamDefinition> {
    return this.deletions.begin(name, actor);
  }

  deleteStream(name: string, removeRows: RemoveStreamRows, actor: Actor): Promise<void> {
    return this.deletions.run(name, { removeRows, actor });
  }

  finishDeletion(id: StreamId, removeRows: RemoveStreamRows, actor: Actor): Promise<void> {
    return this.deletions.finish(id, { removeRows, actor });
  }

  failed(): Record<string, number> {
    const failed: Record<string, number> = {};
    for (const kind of this.kinds) {
      if (!kind.failureOf) continue;
      const values = this.follower.view.of(kind).all();
      failed[kind.store] = values.filter((value) => kind.failureOf?.(value) !== null).length;
    }
    return failed;
  }

  audit(entry: AuditEventContent, actor: Actor): Promise<void> {
    return this.trail.note(entry, actor);
  }

  onChange(listener: () => void): () => void {
    return this.follower.onChange(listener);
  }

  get unreadable(): number {
    return this.follower.view.unreadable;
  }

  get failure(): Error | undefined {
    return this.follower.failure;
  }

  get ageMs(): number {
    return this.follower.ageMs;
  }

  async close(): Promise<void> {
    this.endShowing?.();
    await this.creations.over();
    await this.mutex.over();
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
