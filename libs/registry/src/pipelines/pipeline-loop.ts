import { effectsOf, type PipelineSpec } from '#dataflow';
import type { PipelineDefinition } from './pipeline-definition.js';

/** What a loop is made of: where events come from and go to. */
export type PipelineWay = Pick<PipelineDefinition, 'name' | 'spec'>;

/** One step of a loop: this pipeline writes what it reads from one stream to another. */
export interface LoopStep {
  from: string;
  pipeline: string;
  to: string;
}

/** Returns the streams that a pipeline writes to, those for late events among them. */
export function pipelineWrites({ operators }: Pick<PipelineSpec, 'operators'>): Set<string> {
  return new Set(
    effectsOf(operators)
      .filter((effect) => effect.kind === 'write')
      .map(({ stream }) => stream),
  );
}

/**
 * The shortest way on which what a pipeline emits would come back to it, over all pipelines, itself among them; undefined
 * when there is none.
 * @param all pipelines that stand; one of the same name is not looked at
 */
export function pipelineLoop(of: PipelineWay, all: readonly PipelineWay[]): LoopStep[] | undefined {
  const readers = readersOf([of, ...all.filter(({ name }) => name !== of.name)]);
  const sources = new Set(of.spec.source.streams);
  const seen = new Set<string>();
  let ways: LoopStep[][] = stepsOf(of, of.spec.source.streams[0] as string).map((step) => [step]);
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

/** The way begins where it ends. */
function closed([first, ...others]: LoopStep[], end: string): LoopStep[] {
  return [{ ...(first as LoopStep), from: end }, ...others];
}

function stepsOf({ name, spec }: PipelineWay, from: string): LoopStep[] {
  return [...pipelineWrites(spec)].map((to) => ({ from, pipeline: name, to }));
}

function readersOf(pipelines: readonly PipelineWay[]): Map<string, PipelineWay[]> {
  const readers = new Map<string, PipelineWay[]>();
  for (const pipeline of pipelines) {
    for (const stream of pipeline.spec.source.streams)
      readers.set(stream, [...(readers.get(stream) ?? []), pipeline]);
  }
  return readers;
}
