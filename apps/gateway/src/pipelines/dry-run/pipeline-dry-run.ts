import type { ProjectionReader } from '#store';
import { dryRun, type Ask, type DryRun, type LogEvent, type Pipeline } from '#streaming';
import { requireStreams, type Requester, type RequiredStreamsParts } from '../required-streams.js';
import type { PipelineSpecInput } from '../pipeline-input.js';
import { wantedPipeline, type UsablePipeline, type WebhookRule } from '../wanted-pipeline.js';
import { pointersBelow } from './pointers-below.js';
import { foldOf, mergedKey } from '../../projections/states/key-state.js';
import type { ReadGate } from '../../reads/read-gate.js';

export interface PipelineDryRunParts extends Omit<RequiredStreamsParts, 'autoCreateStreams'> {
  projections: Pick<ProjectionReader, 'find'>;
  gate: ReadGate;
  wrongInWebhook: WebhookRule;
}

/** Where a definition stands in the body. */
const definitionAt = '/definition';

/** Tries pipelines on events that are given. Projections are asked as they are now. */
export class PipelineDryRun {
  constructor(private readonly parts: PipelineDryRunParts) {}

  /**
   * What a body defines, for whoever could define it; `operators` as they stand in it.
   * @throws ProblemError what `wantedPipeline` and `requireStreams` throw
   */
  async usable(input: PipelineSpecInput, operators: unknown, requester: Requester): Promise<UsablePipeline> {
    const { wrongInWebhook } = this.parts;
    return pointersBelow(definitionAt, async () => {
      const wanted = wantedPipeline(input, { operators, wrongInWebhook, at: definitionAt });
      await requireStreams(wanted.spec, this.parts, requester);
      return wanted;
    });
  }

  /** @throws StoreUnavailableError @throws QueryTooExpensiveError @throws ProblemError overloaded */
  run(pipeline: Pipeline, events: readonly LogEvent[], client: AbortSignal): Promise<DryRun> {
    const ask: Ask = (lookups) =>
      Promise.all(lookups.map(({ projection, key }) => this.stateOf(projection, key, client)));
    return dryRun(pipeline, events, ask);
  }

  /** As JSON text; null where nothing is known of the key, or nothing can be read yet. */
  private async stateOf(name: string, key: string, client: AbortSignal): Promise<string | null> {
    const { definitions, projections, gate } = this.parts;
    const build = definitions.projections.get(name)?.serving;
    if (!build) return null;
    const [found] = await gate.run(client, (signal) => projections.find(build.id, [key], signal));
    const fold = foldOf(build);
    return found ? fold.result(mergedKey(fold, found).folded) : null;
  }
}
