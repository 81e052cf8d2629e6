import { ProblemError, type StreamAccess } from '#api';
import type { Actor, ResourceStore } from '#registry';
import type { RunningKind } from './definition-name.js';
import { isDeepStrictEqual } from 'node:util';

/** The caller that changes a definition: its name for the audit, and the streams that it may see. */
export interface DefinitionChangeCaller {
  access: StreamAccess;
  actor: Actor;
}

/** The kind of visible definitions, and which of them a caller may see. */
export interface VisibleDefinitionsOptions<D> {
  what: RunningKind;
  kind: ResourceStore<D>;
  /** Whether every stream that a definition reads, looks up and writes is visible. */
  permits: (definition: D, access: StreamAccess) => boolean;
}

/** A definition after a request, and whether the request created it. */
export interface DefinitionChange<D> {
  definition: D;
  created: boolean;
}

/** A definition whose work can be paused and can fail. */
export interface RunningDefinition {
  name: string;
  paused: boolean;
  /** Why the work has failed; null unless it has. */
  failure: string | null;
}

export const runningStatuses = ['running', 'paused', 'failed'] as const;
/** Status of a definition in the API. */
export type RunningStatus = (typeof runningStatuses)[number];

/** Returns `failed` or `paused`, the first that applies: a pause does not hide a failure. Otherwise `running`. */
export function runningStatus({ paused, failure }: Omit<RunningDefinition, 'name'>): RunningStatus {
  if (failure !== null) return 'failed';
  return paused ? 'paused' : 'running';
}

/**
 * The definitions of one kind that a caller may see. A definition that is not visible is answered as if it did not
 * exist.
 * Each change starts from the current definition: of two concurrent changes, the second starts from the result of the
 * first.
 */
export class VisibleDefinitions<D extends RunningDefinition> {
  constructor(protected readonly options: VisibleDefinitionsOptions<D>) {}

  all(access: StreamAccess): D[] {
    return this.options.kind.all().filter((definition) => this.permits(definition, access));
  }

  permits(definition: D, access: StreamAccess): boolean {
    return this.options.permits(definition, access);
  }

  /** Returns a visible definition. @throws ProblemError 404 `<kind>_not_found`, such as `pipeline_not_found` */
  get(name: string, access: StreamAccess): D {
    return this.requireVisible(this.options.kind.get(name), access);
  }

  /** Returns the definition if it is visible. @throws ProblemError the errors of `get` */
  requireVisible(definition: D | undefined, access: StreamAccess): D {
    if (definition && this.permits(definition, access)) return definition;
    const { what } = this.options;
    const detail = `There is no such ${what}; GET /api/v1/${what}s lists those that you may see.`;
    throw new ProblemError(`${what}_not_found`, detail);
  }

  /**
   * Creates a definition, or changes the visible one with this name.
   * @param next receives the current definition, if there is one; may be called several times
   * @throws ProblemError the errors of `get` for a name that is not visible, definition_limit_reached,
   * definition_conflict, log_unavailable
   */
  async put(
    name: string,
    { actor, access }: DefinitionChangeCaller,
    next: (current: D | undefined) => D | Promise<D>,
  ): Promise<DefinitionChange<D>> {
    let created = false;
    const change = (current: D | undefined) => {
      created = current === undefined;
      return next(current && this.requireVisible(current, access));
    };
    const { value } = await this.options.kind.change(name, change, actor);
    return { definition: this.requireVisible(value, access), created };
  }

  /** Changes a visible definition. @throws ProblemError the errors of `get`, definition_conflict, log_unavailable */
  async change(name: string, { actor, access }: DefinitionChangeCaller, next: (current: D) => D): Promise<D> {
    const change = (current: D | undefined) => next(this.requireVisible(current, access));
    const { value } = await this.options.kind.change(name, change, actor);
    return this.requireVisible(value, access);
  }

  /** Pauses a visible definition. @throws ProblemError the errors of `change` */
  pause(name: string, caller: DefinitionChangeCaller): Promise<D> {
    return this.change(name, caller, (current) => (current.paused ? current : { ...current, paused: true }));
  }

  /**
   * Resumes a visible definition that is paused or has failed. Whether it fails again shows only when a processor runs
   * it.
   * @throws ProblemError the errors of `change`
   */
  resume(name: string, caller: DefinitionChangeCaller): Promise<D> {
    return this.change(name, caller, (current) =>
      current.paused || current.failure !== null ? { ...current, paused: false, failure: null } : current,
    );
  }

  /** Removes a visible definition and returns its last state. @throws ProblemError the errors of `change` */
  async remove(name: string, { actor, access }: DefinitionChangeCaller): Promise<D> {
    let removed: D | undefined;
    const next = (current: D | undefined): undefined => {
      removed = this.requireVisible(current, access);
    };
    await this.options.kind.change(name, next, actor);
    return removed as D;
  }
}

/** Body and query of a request that creates or replaces a definition, and a signal that its client disconnects. */
export interface DefinitionRequest {
  input: object;
  query?: object;
  client: AbortSignal;
}

/** What the routes of one kind of definition need of it. `D` is a definition. */
export interface DefinitionResource<D extends RunningDefinition> {
  /** The definitions that the caller may see. */
  readonly visible: VisibleDefinitions<D>;
  /**
   * Replaces a definition; the same one changes nothing. Creates it, if the kind has no POST. @throws ProblemError
   */
  replace(
    name: string,
    request: DefinitionRequest,
    caller: DefinitionChangeCaller,
  ): Promise<DefinitionChange<D>>;
  /** Deletes a definition with what it has computed. @throws ProblemError */
  remove(name: string, caller: DefinitionChangeCaller): Promise<void>;
  answer(definition: D): object;
  answersWithStats(definitions: readonly D[], client: AbortSignal): Promise<object[]>;
  detail(definition: D, client: AbortSignal): Promise<object>;
}

/** A kind of definition that is created by a POST, and can be reset. */
export interface ResettableDefinitionResource<D extends RunningDefinition> extends DefinitionResource<D> {
  /** Creates a definition, or returns the existing one if it is the same. @throws ProblemError */
  create(request: DefinitionRequest, caller: DefinitionChangeCaller): Promise<DefinitionChange<D>>;
  /** Starts again from the events. @throws ProblemError */
  reset(name: string, caller: DefinitionChangeCaller): Promise<D>;
}

interface Spec {
  source: { streams: readonly string[]; event_types?: readonly string[] };
}

/** Whether two definitions are equal, regardless of the order of streams and event types. */
export function sameSpec<T extends Spec>(a: T, b: T): boolean {
  return isDeepStrictEqual(sorted(a), sorted(b));
}

function sorted({ source, ...spec }: Spec): unknown {
  const { streams, event_types, ...rest } = source;
  return { ...spec, source: { ...rest, streams: streams.toSorted(), event_types: event_types?.toSorted() } };
}
