import { limits } from '#event';
import { ProblemError } from '#api';
import { compilePipeline, type CompiledPipeline, type PipelineSpec } from '#features/pipelines/computation';
import { DefinitionError, type DefinitionProblem } from '#dataflow';
import { webhookUrlError, type WebhookAddressPolicy } from '#features/webhooks';
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
      streams,
      ...(event_types && { event_types }),
      ...(where != null && { where }),
      ...(idle_after != null && { idle_after }),
    },
    operators: operators as PipelineSpec['operators'],
    from: from ?? 'beginning',
  };
  requireDefinitionSize(JSON.stringify(spec));
  const rejected = (errors: readonly DefinitionProblem[]): ProblemError =>
    invalidDefinitionProblem(errors, { what: 'pipeline', ...(at !== undefined && { at }) });
  let compiled: CompiledPipeline;
  try {
    compiled = compilePipeline(spec);
  } catch (error) {
    if (error instanceof DefinitionError) throw rejected(error.errors);
    throw error;
  }
  const wrong = compiled.webhooks.flatMap((webhook) => {
    const detail = webhookUrlError(webhook.url, webhooks);
    return detail === undefined ? [] : [{ pointer: `${webhook.at}/url`, detail }];
  });
  if (wrong.length > 0) throw rejected(wrong);
  return { spec, compiled };
}

/** Requires that the JSON text of a definition is not too large. @throws ProblemError 413 `payload_too_large` */
export function requireDefinitionSize(text: string): void {
  const bytes = Buffer.byteLength(text);
  if (bytes <= limits.definitionBytes) return;
  const detail = `The definition takes ${bytes} bytes; at most ${limits.definitionBytes} are allowed.`;
  throw new ProblemError('payload_too_large', detail);
}
