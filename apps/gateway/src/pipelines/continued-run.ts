import { ProblemError, type InputError } from '#api';
import type { Definitions, PipelineRun } from '#registry';

/**
 * The same run with the sources of another definition. A stream that it reads stays as it is; one that is new to it begins
 * as `fresh` has it.
 * @param former ids of streams that the run has read earlier, and does not read now
 * @throws ProblemError 404 `stream_not_found` when a stream that it reads is gone, and another one has its name
 */
export function continuedRun(
  run: PipelineRun,
  fresh: PipelineRun,
  { definitions, former }: { definitions: Pick<Definitions, 'stream'>; former: ReadonlyMap<string, string> },
): PipelineRun {
  const streams = Object.keys(fresh.sources);
  const replaced = streams.flatMap((stream, i): InputError[] => {
    const known = run.sources[stream]?.id ?? former.get(stream);
    // Offsets of another stream would be taken for those that are done, and ids for those that were emitted.
    if (known === undefined || known === definitions.stream(stream)?.id) return [];
    const detail = `the stream ${stream} that it has read is gone; the one of that name now is another one`;
    return [{ pointer: `/source/streams/${i}`, detail }];
  });
  if (replaced.length > 0) {
    const detail =
      'It cannot go on where it is: a stream was deleted and made anew. Begin anew with ?from=beginning.';
    throw new ProblemError('stream_not_found', detail, { errors: replaced });
  }
  const sources = streams.map((stream) => [stream, run.sources[stream] ?? fresh.sources[stream]]);
  return { ...run, sources: Object.fromEntries(sources) as PipelineRun['sources'] };
}
