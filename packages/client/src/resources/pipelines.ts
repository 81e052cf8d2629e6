import { path } from '../http/address.js';
import type { JsonApiClient } from '../http/api.js';
import type { CallOptions } from '../http/http-client.js';
import { eventText } from '../producer/event-text.js';
import type { Pages } from '../reading/pages.js';
import type {
  ListQuery,
  DryRunReport,
  DryRunInput,
  Pipeline,
  PipelineDetail,
  PipelineWithStats,
  PipelineInput,
  PipelineReplacement,
} from '../types/index.js';

/** Options of `client.pipelines.replace`. */
export interface ReplaceOptions extends CallOptions {
  /**
   * Starts a new job that reads the source streams from their beginning. Default: the current job continues at its
   * position.
   */
  from?: 'beginning';
}

/** `client.pipelines`: defines, reads, changes and deletes pipelines. */
export class Pipelines {
  constructor(private readonly api: JsonApiClient) {}

  list(query: ListQuery = {}, options: CallOptions = {}): Pages<PipelineWithStats> {
    return this.api.list({ path: '/api/v1/pipelines', name: 'pipelines', query }, options);
  }

  get(name: string, options: CallOptions = {}): Promise<PipelineDetail> {
    return this.api.get({ path: path`/api/v1/pipelines/${name}`, ...options });
  }

  /** Defines a pipeline. Repeating the same definition changes nothing. */
  define(input: PipelineInput, options: CallOptions = {}): Promise<Pipeline> {
    return this.api.post('/api/v1/pipelines', { body: input, ...options });
  }

  replace(name: string, input: PipelineReplacement, options: ReplaceOptions = {}): Promise<Pipeline> {
    const { from, ...rest } = options;
    return this.api.put(path`/api/v1/pipelines/${name}`, { body: input, query: { from }, ...rest });
  }

  pause(name: string, options: CallOptions = {}): Promise<Pipeline> {
    return this.api.post(path`/api/v1/pipelines/${name}/pause`, options);
  }

  resume(name: string, options: CallOptions = {}): Promise<Pipeline> {
    return this.api.post(path`/api/v1/pipelines/${name}/resume`, options);
  }

  /**
   * Starts a new job of the pipeline at the position that `from` of its definition names: the beginning of its source
   * streams, or now.
   */
  reset(name: string, options: CallOptions = {}): Promise<Pipeline> {
    return this.api.post(path`/api/v1/pipelines/${name}/reset`, options);
  }

  /** Deletes the pipeline with its open windows and its internal topics. */
  delete(name: string, options: CallOptions = {}): Promise<void> {
    return this.api.delete(path`/api/v1/pipelines/${name}`, options);
  }

  /** Shows what each operator would do with these events. No event is written. */
  dryRun({ definition, events }: DryRunInput, options: CallOptions = {}): Promise<DryRunReport> {
    const texts = events.map((event) => eventText(event, event.event_id));
    const json = `{"definition":${JSON.stringify(definition)},"events":[${texts.join(',')}]}`;
    return this.api.post('/api/v1/pipelines/dry-run', { json, ...options });
  }
}
