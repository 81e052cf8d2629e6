import type { Definitions } from '#definitions';
import type { ProjectionReader } from '#store';
import { dryRun, type Ask, type DryRun, type LogEvent, type Pipeline } from '#streaming';
import { foldOf, mergedKey } from '../../projections/states/key-state.js';
import type { ReadGate } from '../../reads/read-gate.js';

export interface PipelineDryRunParts {
  definitions: Pick<Definitions, 'projections'>;
  projections: Pick<ProjectionReader, 'find'>;
  gate: ReadGate;
}

/** Tries pipelines on events that are given. Projections are asked as they are now. */
export class PipelineDryRun {
  constructor(private readonly parts: PipelineDryRunParts) {}

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
