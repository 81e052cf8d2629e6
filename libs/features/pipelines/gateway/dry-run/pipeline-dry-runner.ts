import { Inject, Injectable } from '@nestjs/common';
import { DEFINITIONS, STORE } from '#app';
import { ProblemError } from '#api';
import type { Definitions } from '#registry';
import { maxStateKeys, type KeyedStateReader } from '#store';
import {
  dryRun,
  DryRunTooExpensiveError,
  type DryRunResult,
  type ProjectionLookup,
  type CompiledPipeline,
} from '#features/pipelines/computation';
import type { EventFromKafka } from '#event';
import { WebhookAddressPolicy } from '#features/webhooks';
import { PipelineReferenceChecker, type PipelineDefinitionCaller } from '../pipeline-reference-checker.js';
import type { PipelineSpecInput } from '../pipeline-input.js';
import { validatedPipeline, type ValidatedPipeline } from '../validated-pipeline.js';
import { foldOf, mergedKey } from '#features/projections';
import { Bulkhead } from '#gateway-kit';

/** JSON pointer to the definition in the request body. */
const definitionAt = '/definition';

/** Runs given events through pipelines without writing anything. Lookups of projections read their current states. */
@Injectable()
export class PipelineDryRunner {
  constructor(
    @Inject(DEFINITIONS) private readonly definitions: Pick<Definitions, 'projections'>,
    @Inject(STORE) private readonly store: { projections: Pick<KeyedStateReader, 'find'> },
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

  /**
   * Resolves with the state for each lookup, as JSON text; null for a key without a state. Reads all keys of a
   * projection together.
   */
  private async statesOf(
    lookups: readonly ProjectionLookup[],
    client: AbortSignal,
  ): Promise<(string | null)[]> {
    const states = new Map<string, ReadonlyMap<string, string>>();
    for (const name of new Set(lookups.map(({ projection }) => projection))) {
      const keys = new Set(lookups.flatMap(({ projection, key }) => (projection === name ? [key] : [])));
      states.set(name, await this.statesIn(name, [...keys], client));
    }
    return lookups.map(({ projection, key }) => states.get(projection)?.get(key) ?? null);
  }

  /** Resolves with the states by key; empty while the projection has no generation to read. */
  private async statesIn(
    name: string,
    keys: readonly string[],
    client: AbortSignal,
  ): Promise<Map<string, string>> {
    const generation = this.definitions.projections.get(name)?.serving;
    const states = new Map<string, string>();
    if (!generation) return states;
    const fold = foldOf(generation);
    for (let at = 0; at < keys.length; at += maxStateKeys) {
      const some = keys.slice(at, at + maxStateKeys);
      const find = (signal: AbortSignal) => this.store.projections.find(generation.id, some, signal);
      for (const found of await this.bulkhead.run(client, find))
        states.set(found.key, fold.result(mergedKey(fold, found).folded));
    }
    return states;
  }
}

function tooExpensive({ message }: DryRunTooExpensiveError): ProblemError {
  const detail = `${message} Send fewer events or smaller lists, or make the expressions cheaper.`;
  return new ProblemError('query_too_expensive', detail, { errors: [{ pointer: '/events', detail }] });
}
