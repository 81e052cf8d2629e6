import type { PipelineDefinition } from '#registry';
import { compilePipeline, DefinitionError, type Pipeline } from '#dataflow';

const known = new WeakMap<PipelineDefinition, Pipeline | null>();

/** A definition, compiled once as long as it is there; null where this version of the software cannot compile it. */
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
