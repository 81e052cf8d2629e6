import { Inject, Injectable, Optional } from '@nestjs/common';
import { STORE } from '#app';
import { ProblemError } from '#api';
import { withAnySignal } from '#async';
import type { ProjectionGeneration } from '#features/projections/definition';
import type { KeyedStateReader } from '#store';
import { Bulkhead } from '#gateway-kit';
import { GenerationResults, type ResultStores } from './generation-results.js';
import '#features/projections';

/** Longest time that a statement waits for the results of the projections that it reads, in milliseconds. */
const patienceMs = 10_000;

/** Seconds after which a client should send the statement again. The results that are computed by then are kept. */
const retryAfterSeconds = 2;

/** Limit of generations with an incomplete pass whose position is remembered. A forgotten pass begins again. */
const mostRemembered = 1_000;

/**
 * Brings the results of projections, which analysts' views show, up to date with the saved states. This happens only
 * before a statement that reads such a view. Statements over the same generation share the work.
 */
@Injectable()
export class ProjectionResults {
  private readonly passes = new Map<string, GenerationResults>();

  constructor(
    @Inject(STORE)
    private readonly store: ResultStores & { projections: Pick<KeyedStateReader, 'countKeys'> },
    private readonly bulkhead: Bulkhead,
    @Optional() private readonly patience = () => AbortSignal.timeout(patienceMs),
  ) {}

  /**
   * Resolves when the views have the results of all states that were saved before the call.
   * @param generations the generation of each view that is a projection's; other views are skipped
   * @throws ProblemError 503 `projection_building` if this takes too long; the next call continues
   * @throws ProblemError 503 `overloaded` @throws QueryTooExpensiveError @throws StoreUnavailableError
   * @throws the signal's reason once it is aborted
   */
  async bringUpToDate(
    views: readonly string[],
    generations: ReadonlyMap<string, ProjectionGeneration>,
    client: AbortSignal,
  ): Promise<void> {
    let patience: AbortSignal | undefined;
    for (const view of views) {
      const generation = generations.get(view);
      if (!generation) continue;
      const limit = (patience ??= this.patience());
      const pass = this.passOf(generation);
      try {
        await withAnySignal([client, limit], (signal) => pass.upToDate(signal));
      } catch (error) {
        if (client.aborted || !limit.aborted) throw error;
        throw await this.unfinished(view, pass, client);
      } finally {
        if (pass.isComplete) this.passes.delete(generation.id);
      }
    }
  }

  private passOf(generation: ProjectionGeneration): GenerationResults {
    const known = this.passes.get(generation.id);
    if (known) return known;
    const [oldest] = this.passes.keys();
    if (oldest !== undefined && this.passes.size >= mostRemembered) this.passes.delete(oldest);
    const pass = new GenerationResults(generation, this.store, this.bulkhead);
    this.passes.set(generation.id, pass);
    return pass;
  }

  private async unfinished(
    view: string,
    { generation, computed }: GenerationResults,
    client: AbortSignal,
  ): Promise<ProblemError> {
    const keys = await this.bulkhead.run(client, (signal) =>
      this.store.projections.countKeys({ owner: generation.id }, signal),
    );
    const detail = `The rows of ${view} are being computed: ${computed} of at most ${keys} keys are done. Send the statement again.`;
    return new ProblemError('projection_building', detail, { retryAfterSeconds });
  }
}
