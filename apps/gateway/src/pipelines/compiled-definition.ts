import type { PipelineDefinition } from '#registry';
import { compilePipeline, DefinitionError, type CompiledPipeline } from '#dataflow';

const known = new WeakMap<PipelineDefinition, CompiledPipeline | null>();

/**
 * Returns the compiled definition, or null when this version of the software cannot compile it. Compiles each
 * definition once.
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
