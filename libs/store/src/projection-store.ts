import type { Micros } from '#event';

/** A partition of a source, for one build of a projection. */
export interface BuildPartition {
  build: string;
  stream: string;
  partition: number;
}

/** What one build knows of one key from one partition. Of several with the same key and partition the last offset wins. */
export interface ProjectionStateRow extends BuildPartition {
  key: string;
  /** JSON: the fold's state. */
  state: string;
  /** Events of this partition that are folded into it. */
  events: number;
  /** The last of them. */
  last_offset: number;
  /** When that one was ingested. */
  updated_at: Micros;
}

/** How far one build is in one partition. Of several the greatest `next` wins. */
export interface ProjectionProgress extends BuildPartition {
  /** Everything below this offset has been looked at. */
  next: number;
  /** Events that were folded, in all. */
  processed: number;
  /** Events that could not be folded, in all: they are dead letters. */
  failed: number;
  updated_at: Micros;
}

/** One key of a build: what each partition knows of it, by stream and partition, to be merged by the fold. */
export interface ProjectionKey {
  key: string;
  parts: readonly ProjectionStateRow[];
}

/** What a processor needs. Writing the same rows again changes nothing, and an older row never wins. */
export interface ProjectionWriter {
  /** The rows first, then the progress that they belong to. @throws StoreUnavailableError @throws StoreRefusedError */
  save(rows: readonly ProjectionStateRow[], progress: readonly ProjectionProgress[]): Promise<void>;
  /** What is known of these keys, of one partition; keys without a row are left out. At most `maxProjectionKeys`. */
  load(place: BuildPartition, keys: readonly string[]): Promise<ProjectionStateRow[]>;
  progressOf(place: BuildPartition): Promise<ProjectionProgress | undefined>;
  /** Removes all that a build has. Safe to repeat. */
  removeBuild(build: string): Promise<void>;
  /** Builds of which there is anything. */
  builds(): Promise<string[]>;
}

/** Keys that one question of a processor can name. */
export const maxProjectionKeys = 10_000;

export interface ProjectionKeysQuery {
  build: string;
  limit: number;
  /** The key after which the page begins. */
  after?: string;
  /** Only keys that begin with it. */
  prefix?: string;
}

/** Keys that events from some offsets on have changed. */
export interface ChangedKeysQuery extends Pick<ProjectionKeysQuery, 'build' | 'limit' | 'after'> {
  /** By partition: the first of these offsets. */
  since: readonly { stream: string; partition: number; offset: number }[];
}

/**
 * What the gateway needs.
 * @throws QueryTooExpensiveError @throws StoreUnavailableError
 */
export interface ProjectionReader {
  key(build: string, key: string, signal?: AbortSignal): Promise<ProjectionKey | undefined>;
  /** Those of these keys that there are, in no order. At most `maxProjectionKeys`. @throws RangeError for more */
  find(build: string, keys: readonly string[], signal?: AbortSignal): Promise<ProjectionKey[]>;
  /** By key (bytewise). */
  keys(query: ProjectionKeysQuery, signal?: AbortSignal): Promise<ProjectionKey[]>;
  /**
   * Those in which an event from these offsets on is folded, with all their parts as they are now, by key (bytewise).
   * Rows are saved before the progress that counts them: whoever has read a progress finds with it every key that was
   * changed below it.
   */
  changedKeys(query: ChangedKeysQuery, signal?: AbortSignal): Promise<ProjectionKey[]>;
  /** How many keys there are. */
  countKeys(query: Pick<ProjectionKeysQuery, 'build' | 'prefix'>, signal?: AbortSignal): Promise<number>;
  /** By build, stream and partition. */
  progress(builds: readonly string[], signal?: AbortSignal): Promise<ProjectionProgress[]>;
}
