import { limits } from '#event';
import { ProblemError, type InputProblem } from '#api';
import {
  compilePipeline,
  DefinitionError,
  type DefinitionProblem,
  type CompiledPipeline,
  type PipelineSpec,
} from '#dataflow';
import { webhookUrlError, type WebhookAddressPolicy } from '#features/pipelines/webhooks';
import { invalidDefinitionProblem } from '#gateway-kit';
import type { PipelineSpecInput } from './pipeline-input.js';

/** A pipeline definition that has been validated, and its compiled form. */
export interface ValidatedPipeline {
  spec: PipelineSpec;
  compiled: CompiledPipeline;
}

/**
 * Validates and compiles the definition of a request body.
 * @param webhooks networks that webhooks may call although they are not public
 * @param at JSON pointer to the definition in the body; default: the body itself
 * @throws ProblemError 400 that names the position of each error: `invalid_expression` when only expressions are wrong,
 * otherwise `invalid_request`; 413
 */
export function validatedPipeline(
  { source, operators, from }: PipelineSpecInput,
  webhooks: WebhookAddressPolicy,
  at?: string,
): ValidatedPipeline {
  const { streams, event_types, where, idle_after } = source;
  const spec: PipelineSpec = {
    source: {
      ...{ streams, ...(event_types && { event_types }), ...(where != null && { where }) },
      ...(idle_after != null && { idle_after }),
    },
    operators: operators as PipelineSpec['operators'],
    from: from ?? 'beginning',
  };
  const bytes = Buffer.byteLength(JSON.stringify(spec));
  if (bytes > limits.definitionBytes) {
    const detail = `The definition takes ${bytes} bytes; at most ${limits.definitionBytes} are allowed.`;
    throw new ProblemError('payload_too_large', detail);
  }
  const compiled = compiledOrRefused(spec, at);
  const wrong = wrongWebhooks(compiled, webhooks);
  if (wrong.length > 0) throw refused(wrong, at);
  return { spec, compiled };
}

function compiledOrRefused(spec: PipelineSpec, at: string | undefined): CompiledPipeline {
  try {
    return compilePipeline(spec);
  } catch (error) {
    if (error instanceof DefinitionError) throw refused(error.errors, at);
    throw error;
  }
}

function wrongWebhooks({ webhooks }: CompiledPipeline, networks: WebhookAddressPolicy): InputProblem[] {
  return webhooks.flatMap(({ at, url }) => {
    const detail = webhookUrlError(url, networks);
    return detail === undefined ? [] : [{ pointer: `${at}/url`, detail }];
  });
}

function refused(errors: readonly DefinitionProblem[], at: string | undefined): ProblemError {
  return invalidDefinitionProblem(errors, { what: 'pipeline', ...(at !== undefined && { at }) });
}
