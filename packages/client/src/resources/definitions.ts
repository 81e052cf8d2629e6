import { path } from '../http/address.js';
import type { JsonApiClient } from '../http/api.js';
import type { CallOptions } from '../http/http-client.js';
import type { Pages } from '../reading/pages.js';
import type {
  ListQuery,
  WaitForPositions,
  JsonObject,
  JsonText,
  Projection,
  ProjectionDetail,
  ProjectionWithStats,
  ProjectionInput,
  ProjectionReplacement,
  ProjectionStatesQuery,
  DryRunReport,
  DryRunInput,
  Pipeline,
  PipelineDetail,
  PipelineWithStats,
  PipelineInput,
  PipelineReplacement,
  Subscription,
  SubscriptionInput,
  SubscriptionWithStats,
} from '../types/index.js';
import { projectionChanges, type ProjectionChangeMessage } from '../live/live-requests.js';
import { LiveStream, type LiveOptions } from '../live/live-stream.js';
import { readProjectionState, type ProjectionKeyState } from '../reading/states.js';
import { eventText } from '../producer/event-text.js';

/** The types of one kind of definition that runs on streams. */
interface DefinitionTypes {
  Input: object;
  Definition: object;
  WithStats: object;
  Detail: object;
}

/** What projections, pipelines and subscriptions have in common: they are read, paused, resumed and deleted. */
abstract class RunningDefinitions<Types extends Omit<DefinitionTypes, 'Input'>> {
  constructor(
    protected readonly api: JsonApiClient,
    protected readonly collection: 'projections' | 'pipelines' | 'subscriptions',
  ) {}

  list(query: ListQuery = {}, options: CallOptions = {}): Pages<Types['WithStats']> {
    return this.api.list({ path: `/api/v1/${this.collection}`, name: this.collection, query }, options);
  }

  get(name: string, options: CallOptions = {}): Promise<Types['Detail']> {
    return this.api.get({ path: this.pathOf(name), ...options });
  }

  pause(name: string, options: CallOptions = {}): Promise<Types['Definition']> {
    return this.api.change('POST', `${this.pathOf(name)}/pause`, options);
  }

  /** Continues where it stopped, and misses no event. */
  resume(name: string, options: CallOptions = {}): Promise<Types['Definition']> {
    return this.api.change('POST', `${this.pathOf(name)}/resume`, options);
  }

  /** Deletes the definition with what it has computed. Events that it has emitted remain. */
  delete(name: string, options: CallOptions = {}): Promise<void> {
    return this.api.change('DELETE', this.pathOf(name), options);
  }

  protected pathOf(name: string): string {
    return `/api/v1/${this.collection}${path`/${name}`}`;
  }
}

/** What projections and pipelines have in common: they are created by their names, and reset. */
abstract class Definitions<Types extends DefinitionTypes> extends RunningDefinitions<Types> {
  /** Creates a definition. Repeating the same definition changes nothing. */
  define(input: Types['Input'] | JsonText, options: CallOptions = {}): Promise<Types['Definition']> {
    return this.api.change('POST', `/api/v1/${this.collection}`, { json: textOf(input), ...options });
  }

  /** Starts again from the events, at the position that `from` of the definition names. */
  reset(name: string, options: CallOptions = {}): Promise<Types['Definition']> {
    return this.api.change('POST', `${this.pathOf(name)}/reset`, options);
  }
}

/** Options of `client.projections.changes`. */
export interface ChangesOptions extends LiveOptions {
  /** The stream begins with the current states of all keys. */
  snapshot?: boolean;
}

/** `client.projections`: defines, reads, changes and deletes projections. */
export class Projections extends Definitions<{
  Input: ProjectionInput;
  Definition: Projection;
  WithStats: ProjectionWithStats;
  Detail: ProjectionDetail;
}> {
  constructor(api: JsonApiClient) {
    super(api, 'projections');
  }

  /**
   * Replaces the definition. The states of the new version are computed from the events while reads still use the old
   * version; then reads use the new one.
   */
  replace(
    name: string,
    input: ProjectionReplacement | JsonText,
    options: CallOptions = {},
  ): Promise<Projection> {
    return this.api.change('PUT', path`/api/v1/projections/${name}`, { json: textOf(input), ...options });
  }

  /** Returns the state of one key. */
  async state<State = JsonObject>(
    name: string,
    key: string,
    { signal, wait_for }: CallOptions & WaitForPositions = {},
  ): Promise<ProjectionKeyState<State>> {
    const text = await this.api.text({
      path: path`/api/v1/projections/${name}/state/${key}`,
      query: { wait_for },
      signal,
    });
    return readProjectionState(text);
  }

  states<State = JsonObject>(
    name: string,
    query: ProjectionStatesQuery = {},
    options: CallOptions = {},
  ): Pages<ProjectionKeyState<State>> {
    const list = { path: path`/api/v1/projections/${name}/state`, name: 'states', query };
    return this.api.list({ ...list, readItem: readProjectionState<State> }, options);
  }

  /** Streams the changes of the states, until the signal is aborted or the iteration ends. */
  changes<State = JsonObject>(
    name: string,
    { snapshot = false, ...options }: ChangesOptions = {},
  ): LiveStream<ProjectionChangeMessage<State>> {
    return new LiveStream(this.api.http, projectionChanges<State>(name, snapshot), options);
  }
}

/** Options of `client.pipelines.replace`. */
export interface ReplaceOptions extends CallOptions {
  /**
   * Starts a new job that reads the source streams from their beginning. Default: the current job continues at its
   * position.
   */
  from?: 'beginning';
}

/** `client.pipelines`: defines, reads, changes and deletes pipelines. */
export class Pipelines extends Definitions<{
  Input: PipelineInput;
  Definition: Pipeline;
  WithStats: PipelineWithStats;
  Detail: PipelineDetail;
}> {
  constructor(api: JsonApiClient) {
    super(api, 'pipelines');
  }

  replace(
    name: string,
    input: PipelineReplacement | JsonText,
    options: ReplaceOptions = {},
  ): Promise<Pipeline> {
    const { from, ...rest } = options;
    return this.api.change('PUT', path`/api/v1/pipelines/${name}`, {
      json: textOf(input),
      query: { from },
      ...rest,
    });
  }

  /** Shows what each operator would do with these events. No event is written. */
  dryRun({ definition, events }: DryRunInput, options: CallOptions = {}): Promise<DryRunReport> {
    const texts = events.map((event) => eventText(event, event.event_id));
    const json = `{"definition":${textOf(definition)},"events":[${texts.join(',')}]}`;
    return this.api.change('POST', '/api/v1/pipelines/dry-run', { json, ...options });
  }
}

/** `client.subscriptions`: defines, reads, pauses and deletes subscriptions. */
export class Subscriptions extends RunningDefinitions<{
  Definition: Subscription;
  WithStats: SubscriptionWithStats;
  Detail: SubscriptionWithStats;
}> {
  constructor(api: JsonApiClient) {
    super(api, 'subscriptions');
  }

  /**
   * Creates a subscription, or changes the existing one, which continues at its position. `source` and `from` cannot be
   * changed. Repeating the same definition changes nothing.
   */
  define(
    name: string,
    input: SubscriptionInput | JsonText,
    options: CallOptions = {},
  ): Promise<Subscription> {
    return this.api.change('PUT', this.pathOf(name), { json: textOf(input), ...options });
  }
}

/** Returns the JSON text of a definition. */
function textOf(definition: object | JsonText): string {
  return 'jsonText' in definition ? definition.jsonText : JSON.stringify(definition);
}
