import type { PipelineDefinition } from '#registry';
import { compilePipeline, DefinitionError, type Pipeline } from '#dataflow';

const known = new WeakMap<PipelineDefinition, Pipeline | null>();

/**
 * Returns the compiled definition, or null when this version of the software cannot compile it. Compiles each
 * definition once.
 */
export function compiledDefinition(definition: PipelineDefinition): Pipeline | null {
  const before = known.get(definition);
  if (before !== undefined) return before;
  const compiled = compiledOrNot(definition);
  known.set(definition, compiled);
  return compiled;
}

function compiledOrNot({ spec }: PipelineDefinition): Pipeline | null {
  try {
    return compilePipeline(spec);
  } catch (error) {
    if (error instanceof DefinitionError) return null;
    throw error;
  }
}
