import type { DefinitionChangeCaller, RunningDefinition, VisibleDefinitions } from './visible-definitions.js';

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
  /** Creates a definition, or returns the existing one if it is the same. @throws ProblemError */
  create(
    request: DefinitionRequest,
    caller: DefinitionChangeCaller,
  ): Promise<{ definition: D; created: boolean }>;
  /** Replaces a definition; the same one changes nothing. @throws ProblemError */
  replace(name: string, request: DefinitionRequest, caller: DefinitionChangeCaller): Promise<D>;
  /** Starts again from the events. @throws ProblemError */
  reset(name: string, caller: DefinitionChangeCaller): Promise<D>;
  /** Deletes a definition with what it has computed. @throws ProblemError */
  remove(name: string, caller: DefinitionChangeCaller): Promise<void>;
  answer(definition: D): object;
  answersWithStats(definitions: readonly D[], client: AbortSignal): Promise<object[]>;
  detail(definition: D, client: AbortSignal): Promise<object>;
}
