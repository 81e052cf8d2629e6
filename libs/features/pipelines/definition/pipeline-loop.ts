import { effectsOf, sourceStreams, type PipelineSpec } from '#features/pipelines/computation';
import type { PipelineDefinition } from './pipeline-definition.js';

/** A pipeline as input of the loop check: its name, and its spec with the streams that it reads and writes. */
export type LoopCandidate = Pick<PipelineDefinition, 'name' | 'spec'>;

/** One step of a loop: a pipeline reads the stream `from` and writes to the stream `to`. */
export interface LoopStep {
  from: string;
  pipeline: string;
  to: string;
}

/** Returns the streams that a pipeline writes to, including the streams for late events. */
export function pipelineWrites({ operators }: Pick<PipelineSpec, 'operators'>): Set<string> {
  return new Set(
    effectsOf(operators)
      .filter((effect) => effect.kind === 'write')
      .map(({ stream }) => stream),
  );
}

/**
 * Returns the shortest loop, over all pipelines, on which events of the pipeline `of` would return to it; undefined if
 * there is none.
 * @param all existing pipelines; one with the same name is ignored
 */
export function pipelineLoop(of: LoopCandidate, all: readonly LoopCandidate[]): LoopStep[] | undefined {
  const readers = readersOf([of, ...all.filter(({ name }) => name !== of.name)]);
  const sources = sourceStreams(of.spec);
  const seen = new Set<string>();
  let ways: LoopStep[][] = stepsOf(of, [...sources.keys()][0] as string).map((step) => [step]);
  while (ways.length > 0) {
    const next: LoopStep[][] = [];
    for (const way of ways) {
      const { to } = way.at(-1) as LoopStep;
      if (sources.has(to)) return closed(way, to);
      if (seen.has(to)) continue;
      seen.add(to);
      for (const reader of readers.get(to) ?? [])
        next.push(...stepsOf(reader, to).map((step) => [...way, step]));
    }
    ways = next;
  }
  return undefined;
}

/**
 * Returns the steps of a loop, with the stream where the last step ends as the stream from which the first step reads.
 */
function closed([first, ...others]: LoopStep[], end: string): LoopStep[] {
  return [{ ...(first as LoopStep), from: end }, ...others];
}

function stepsOf({ name, spec }: LoopCandidate, from: string): LoopStep[] {
  return [...pipelineWrites(spec)].map((to) => ({ from, pipeline: name, to }));
}

function readersOf(pipelines: readonly LoopCandidate[]): Map<string, LoopCandidate[]> {
  const readers = new Map<string, LoopCandidate[]>();
  for (const pipeline of pipelines) {
    for (const stream of sourceStreams(pipeline.spec).keys())
      readers.set(stream, [...(readers.get(stream) ?? []), pipeline]);
  }
  return readers;
}
