import { path } from '../http/address.js';
import type { JsonApiClient } from '../http/api.js';
import type { CallOptions } from '../http/http-client.js';
import { Definitions } from './definitions.js';
import { eventText } from '../producer/event-text.js';
import type {
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
export class Pipelines extends Definitions<{
  Input: PipelineInput;
  Definition: Pipeline;
  WithStats: PipelineWithStats;
  Detail: PipelineDetail;
}> {
  constructor(api: JsonApiClient) {
    super(api, 'pipelines');
  }

  replace(name: string, input: PipelineReplacement, options: ReplaceOptions = {}): Promise<Pipeline> {
    const { from, ...rest } = options;
    return this.api.put(path`/api/v1/pipelines/${name}`, { body: input, query: { from }, ...rest });
  }

  /** Shows what each operator would do with these events. No event is written. */
  dryRun({ definition, events }: DryRunInput, options: CallOptions = {}): Promise<DryRunReport> {
    const texts = events.map((event) => eventText(event, event.event_id));
    const json = `{"definition":${JSON.stringify(definition)},"events":[${texts.join(',')}]}`;
    return this.api.post('/api/v1/pipelines/dry-run', { json, ...options });
  }
}
