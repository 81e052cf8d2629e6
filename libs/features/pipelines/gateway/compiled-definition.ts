import type { PipelineDefinition } from '#features/pipelines/definition';
import { compilePipeline, type CompiledPipeline } from '#features/pipelines/computation';
import { DefinitionError } from '#dataflow';

const known = new WeakMap<PipelineDefinition, CompiledPipeline | null>();

/**
 * Returns the compiled form of a stored pipeline definition, or null when this gateway's version of Tributary cannot
 * compile it. Compiles each definition once.
 */
export function compiledDefinition(definition: PipelineDefinition): CompiledPipeline | null {
  const before = known.get(definition);
  if (before !== undefined) return before;
  const compiled = compiledOrNot(definition);
  known.set(definition, compiled);
  return compiled;
}

function compiledOrNot({ spec }: PipelineDefinition): CompiledPipeline | null {
  try {
    return compilePipeline(spec);
  } catch (error) {
    if (error instanceof DefinitionError) return null;
    throw error;
  }
}
