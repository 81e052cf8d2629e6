import { ProblemError, type InputProblem } from '#api';
import type { Definitions, JobIdAndStartOffsets } from '#registry';
import { sourceStreams, type PipelineSpec } from '#features/pipelines/computation';

/**
 * Returns the current job with the sources of another definition. A stream that the job reads keeps its start offsets;
 * a new stream gets those of `fresh`.
 * @param context `spec`: the other definition; `former`: ids by name of streams that the job has read earlier and does not read now
 * @throws ProblemError 404 `stream_not_found` when a stream that the job has read was deleted and another has its name
 */
export function continuedJob(
  run: JobIdAndStartOffsets,
  fresh: JobIdAndStartOffsets,
  {
    definitions,
    former,
    spec,
  }: {
    definitions: Pick<Definitions, 'stream'>;
    former: ReadonlyMap<string, string>;
    spec: PipelineSpec;
  },
): JobIdAndStartOffsets {
  const pointers = sourceStreams(spec);
  const streams = [...pointers.keys()];
  const replaced = [...pointers].flatMap(([stream, pointer]): InputProblem[] => {
    const known = run.sources[stream]?.id ?? former.get(stream);
    // Offsets of the new stream would count as processed, because the job has read the same offsets of the old stream.
    // Events that the pipeline emits for the new stream would get ids that have been used.
    if (known === undefined || known === definitions.stream(stream)?.id) return [];
    const detail = `the stream ${stream} that the pipeline has read was deleted; another stream has this name now`;
    return [{ pointer, detail }];
  });
  if (replaced.length > 0) {
    const detail =
      'The pipeline cannot continue, because a stream was deleted and created again. Restart it with ?from=beginning.';
    throw new ProblemError('stream_not_found', detail, { errors: replaced });
  }
  const sources = streams.map((stream) => [stream, run.sources[stream] ?? fresh.sources[stream]]);
  return { ...run, sources: Object.fromEntries(sources) as JobIdAndStartOffsets['sources'] };
}
