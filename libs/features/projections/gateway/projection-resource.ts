import { Injectable } from '@nestjs/common';
import type { ProjectionDefinition } from '#registry';
import type { DefinitionRequest, DefinitionResource, DefinitionChangeCaller } from '#gateway-kit';
import { projectionAnswer, projectionDetailAnswer, projectionStatsAnswer } from './projection-answers.js';
import { ProjectionDefinitionEditor } from './projection-definition-editor.js';
import type { ProjectionInput, ProjectionSpecInput } from './projection-input.js';
import { ProjectionStatsReader } from './projection-stats-reader.js';
import { validatedProjection } from './validated-projection.js';
import { VisibleProjections } from './visible-projections.js';

/** Projections, as their routes use them. */
@Injectable()
export class ProjectionResource implements DefinitionResource<ProjectionDefinition> {
  readonly answer = projectionAnswer;

  constructor(
    readonly visible: VisibleProjections,
    private readonly editor: ProjectionDefinitionEditor,
    private readonly stats: ProjectionStatsReader,
  ) {}

  async create(
    { input, client }: DefinitionRequest,
    caller: DefinitionChangeCaller,
  ): Promise<{ definition: ProjectionDefinition; created: boolean }> {
    const { name } = input as ProjectionInput;
    return this.editor.define({ name, spec: validatedProjection(input as ProjectionInput), client }, caller);
  }

  async replace(
    name: string,
    { input, client }: DefinitionRequest,
    caller: DefinitionChangeCaller,
  ): Promise<ProjectionDefinition> {
    const spec = validatedProjection(input as ProjectionSpecInput);
    return this.editor.replace({ name, spec, client }, caller);
  }

  reset(name: string, caller: DefinitionChangeCaller): Promise<ProjectionDefinition> {
    return this.editor.reset(name, caller);
  }

  remove(name: string, caller: DefinitionChangeCaller): Promise<void> {
    return this.editor.remove(name, caller);
  }

  async answersWithStats(
    definitions: readonly ProjectionDefinition[],
    client: AbortSignal,
  ): Promise<object[]> {
    const stats = await this.stats.of(definitions, client);
    return definitions.map((definition) => projectionStatsAnswer(definition, stats));
  }

  async detail(definition: ProjectionDefinition, client: AbortSignal): Promise<object> {
    return projectionDetailAnswer(definition, await this.stats.of([definition], client));
  }
}
