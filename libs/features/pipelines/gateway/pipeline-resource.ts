import { Injectable } from '@nestjs/common';
import type { PipelineDefinition } from '#registry';
import { WebhookAddressPolicy } from '#features/pipelines/webhooks';
import type { DefinitionRequest, DefinitionResource, DefinitionChangeCaller } from '#gateway-kit';
import { pipelineAnswer, pipelineDetailAnswer, pipelineStatsAnswer } from './pipeline-answers.js';
import { PipelineDefinitionEditor } from './pipeline-definition-editor.js';
import type { PipelineInput, PipelineSpecInput } from './pipeline-input.js';
import type { PipelineReplacementParameters } from './pipeline-parameters.js';
import { PipelineStatsReader } from './pipeline-stats-reader.js';
import { validatedPipeline } from './validated-pipeline.js';
import { VisiblePipelines } from './visible-pipelines.js';

/** Pipelines, as their routes use them. */
@Injectable()
export class PipelineResource implements DefinitionResource<PipelineDefinition> {
  readonly answer = pipelineAnswer;

  constructor(
    readonly visible: VisiblePipelines,
    private readonly editor: PipelineDefinitionEditor,
    private readonly stats: PipelineStatsReader,
    private readonly webhooks: WebhookAddressPolicy,
  ) {}

  async create(
    { input, client }: DefinitionRequest,
    caller: DefinitionChangeCaller,
  ): Promise<{ definition: PipelineDefinition; created: boolean }> {
    const { name } = input as PipelineInput;
    const { spec } = validatedPipeline(input as PipelineInput, this.webhooks);
    return this.editor.define({ name, spec, client }, caller);
  }

  async replace(
    name: string,
    { input, query, client }: DefinitionRequest,
    caller: DefinitionChangeCaller,
  ): Promise<PipelineDefinition> {
    const { spec } = validatedPipeline(input as PipelineSpecInput, this.webhooks);
    const { from } = query as PipelineReplacementParameters;
    return this.editor.replace({ name, spec, client, from }, caller);
  }

  reset(name: string, caller: DefinitionChangeCaller): Promise<PipelineDefinition> {
    return this.editor.reset(name, caller);
  }

  remove(name: string, caller: DefinitionChangeCaller): Promise<void> {
    return this.editor.remove(name, caller);
  }

  async answersWithStats(definitions: readonly PipelineDefinition[], client: AbortSignal): Promise<object[]> {
    const stats = await this.stats.of(definitions, client);
    return definitions.map((definition) => pipelineStatsAnswer(definition, stats));
  }

  async detail(definition: PipelineDefinition, client: AbortSignal): Promise<object> {
    return pipelineDetailAnswer(definition, await this.stats.of([definition], client));
  }
}
