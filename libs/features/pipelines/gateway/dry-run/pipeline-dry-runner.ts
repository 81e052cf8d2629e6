import { Inject, Injectable } from '@nestjs/common';
import { DEFINITIONS, STORE } from '#app';
import { ProblemError } from '#api';
import type { Definitions } from '#registry';
import { maxStateKeys, statesByKey, type KeyedHistoryReader, type KeyedStateReader } from '#store';
import {
  answerAsOf,
  dryRun,
  DryRunTooExpensiveError,
  lookupName,
  noHistory,
  type DryRunResult,
  type ProjectionAnswer,
  type ProjectionLookup,
  type CompiledPipeline,
} from '#features/pipelines/computation';
import type { EventFromKafka } from '#event';
import { WebhookAddressPolicy } from '#features/webhooks';
import { PipelineReferenceChecker, type PipelineDefinitionCaller } from '../pipeline-reference-checker.js';
import type { PipelineSpecInput } from '../pipeline-input.js';
import { validatedPipeline, type ValidatedPipeline } from '../validated-pipeline.js';
import { foldOf } from '#features/projections/definition';
import { mergedKey } from '#features/projections';
import { Bulkhead } from '#gateway-kit';

/** JSON pointer to the definition in the request body. */
const definitionAt = '/definition';

/**
 * Runs given events through pipelines without writing anything. Lookups of projections read their current states, or their histories
 * as they are saved now.
 */
@Injectable()
export class PipelineDryRunner {
  constructor(
    @Inject(DEFINITIONS) private readonly definitions: Pick<Definitions, 'projections'>,
    @Inject(STORE)
    private readonly store: {
      projections: Pick<KeyedStateReader & KeyedHistoryReader, 'find' | 'histories'>;
    },
    private readonly bulkhead: Bulkhead,
    private readonly references: PipelineReferenceChecker,
    private readonly webhooks: WebhookAddressPolicy,
  ) {}

  /**
   * Returns the pipeline that a body defines, under the same requirements as when it is created.
   * @throws ProblemError the errors of `validatedPipeline` and `PipelineReferenceChecker.require`, with pointers into the
   * body
   */
  async usable(input: PipelineSpecInput, requester: PipelineDefinitionCaller): Promise<ValidatedPipeline> {
    try {
      const validated = validatedPipeline(input, this.webhooks, definitionAt);
      await this.references.require(validated.spec, requester);
      return validated;
    } catch (error) {
      if (!(error instanceof ProblemError) || !error.options.errors) throw error;
      const errors = error.options.errors.map((one) => ({ ...one, pointer: definitionAt + one.pointer }));
      throw new ProblemError(error.code, error.message, { ...error.options, errors });
    }
  }

  /**
   * Runs the events through the pipeline without writing anything.
   * @throws StoreUnavailableError
   * @throws QueryTooExpensiveError
   * @throws ProblemError query_too_expensive, overloaded
   */
  async run(
    pipeline: CompiledPipeline,
    events: readonly EventFromKafka[],
    client: AbortSignal,
  ): Promise<DryRunResult> {
    try {
      return await dryRun(pipeline, events, (lookups) => this.statesOf(lookups, client));
    } catch (error) {
      throw error instanceof DryRunTooExpensiveError ? tooExpensive(error) : error;
    }
  }

  /** Resolves with the answer to each lookup. Reads all keys of a projection together. */
  private async statesOf(
    lookups: readonly ProjectionLookup[],
    client: AbortSignal,
  ): Promise<ProjectionAnswer[]> {
    const answers = new Map<string, ProjectionAnswer>();
    for (const name of new Set(lookups.map(({ projection }) => projection))) {
      const own = lookups.filter(({ projection }) => projection === name);
      for (const histories of [false, true]) {
        const some = own.filter(({ asOf }) => (asOf !== undefined) === histories);
        if (some.length > 0) await this.answer(some, { client, histories, answers });
      }
    }
    return lookups.map((lookup) => answers.get(lookupName(lookup)) ?? null);
  }

  /** Adds the answers to lookups in one projection. Adds none while the projection has no generation to read. */
  private async answer(
    lookups: readonly ProjectionLookup[],
    to: { client: AbortSignal; histories: boolean; answers: Map<string, ProjectionAnswer> },
  ): Promise<void> {
    const { client, histories, answers } = to;
    const { projection } = lookups[0]!;
    const generation = this.definitions.projections.get(projection)?.serving;
    if (!generation) return;
    if (histories && generation.spec.history === undefined) {
      for (const lookup of lookups) answers.set(lookupName(lookup), noHistory(projection));
      return;
    }
    const fold = foldOf(generation);
    const keys = [...new Set(lookups.map(({ key }) => key))];
    for (let at = 0; at < keys.length; at += maxStateKeys) {
      const some = new Set(keys.slice(at, at + maxStateKeys));
      const { projections } = this.store;
      const found = await this.bulkhead.run(client, (signal) =>
        histories
          ? projections.histories(generation.id, [...some])
          : projections.find(generation.id, [...some], signal),
      );
      const own = lookups.filter(({ key }) => some.has(key));
      if (histories) await answerAsOf(own, { found: statesByKey(found), fold }, answers);
      else
        for (const one of found)
          answers.set(lookupName({ projection, key: one.key }), fold.result(mergedKey(fold, one).folded));
    }
  }
}

function tooExpensive({ message }: DryRunTooExpensiveError): ProblemError {
  const detail = `${message} Send fewer events or smaller lists, or make the expressions cheaper.`;
  return new ProblemError('query_too_expensive', detail, { errors: [{ pointer: '/events', detail }] });
}
