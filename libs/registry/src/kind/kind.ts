/** Who changes a definition; it goes to the audit, never with a secret. */
export interface Actor {
  /** The API key's id, or null where none was asked for. */
  key_id: string | null;
  /** `core`, `query`, `ingest`, or `system` for what nobody asked for. */
  port: string;
  request_id: string | null;
}

/** For what nobody asked for. */
export const systemActor: Actor = { key_id: null, port: 'system', request_id: null };

/** What shall be, of what is; undefined is nothing. */
export type Next<T> = (current: T | undefined) => T | undefined | Promise<T | undefined>;

/** What became of a change. */
export interface Changed<T> {
  /** What holds now; undefined when it was removed. */
  value: T | undefined;
  /** False when `next` gave back what was there: nothing was written. */
  changed: boolean;
}

/**
 * One kind of definition: read from memory, changed by comparing and setting. The log's order decides between two that
 * change the same one: the second is asked again with what the first has made of it.
 */
export interface Kind<T> {
  get(name: string): T | undefined;
  all(): T[];
  readonly size: number;
  /**
   * `next` is given what holds now and returns what shall hold: the same object for no change, undefined to remove it.
   * It may take its time, and may be called several times; what it throws is thrown on, with nothing written.
   * Resolves when this process's view has the change and the audit has it, too.
   * @throws ProblemError definition_conflict (others keep winning), definition_limit_reached, log_unavailable
   */
  change(name: string, next: Next<T>, actor: Actor): Promise<Changed<T>>;
}
