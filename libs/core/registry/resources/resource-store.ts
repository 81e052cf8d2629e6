import { IsString } from 'class-validator';
import { IsTextOrNull } from './record-members.js';

/** The principal that changes a definition, as in the audit event of the change. */
export class Actor {
  /** Id of the API key; null if the port requires none. */
  @IsTextOrNull() key_id: string | null;
  /** `core`, `query` or `ingest`; `system` for changes that no request has caused. */
  @IsString() port: string;
  @IsTextOrNull() request_id: string | null;
}

/** The actor of changes that no request has caused. */
export const systemActor: Actor = { key_id: null, port: 'system', request_id: null };

/** Computes the new definition from the current one. Undefined stands for no definition, in both. */
export type ComputeNextDefinition<T> = (current: T | undefined) => T | undefined | Promise<T | undefined>;

/** The result of changing a definition. */
export interface DefinitionChangeResult<T> {
  /** The definition after the change; undefined if there is none. */
  value: T | undefined;
  /** False if `next` returned the current definition: nothing was written. */
  changed: boolean;
}

/**
 * The definitions of one kind: reads come from memory, changes use compare-and-set. Of two concurrent changes of a
 * definition, the one whose record has the lower offset wins; the other calls its `next` again with the winner's
 * result.
 */
export interface ResourceStore<T> {
  get(name: string): T | undefined;
  all(): T[];
  readonly size: number;
  /**
   * Changes a definition. `next` receives the current definition and returns the new one: the same object for no
   * change, undefined to remove it. `next` may be asynchronous, and may be called several times. If `next` throws, the
   * call rejects with that error and nothing is written. Resolves when this process's view and the audit have the
   * change.
   * @throws ProblemError definition_conflict (concurrent changes won every attempt), definition_limit_reached,
   * log_unavailable
   */
  change(name: string, next: ComputeNextDefinition<T>, actor: Actor): Promise<DefinitionChangeResult<T>>;
}

/** The stores of the definitions by name. The file of each kind adds its store by a module augmentation. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- The members are in the files of the kinds.
export interface ResourceStores {}
