import { ProblemError } from '#api';
import type { Definitions, ProjectionGeneration } from '#registry';
import type { ConsistencyToken } from '#gateway-kit';

/**
 * Returns the positions that the consumer group of a generation must pass. Positions before its start are left out,
 * because it never reads them.
 * @throws ProblemError 400 for a stream that the projection does not fold
 */
export function awaitedPositions(
  { sources }: ProjectionGeneration,
  positions: readonly ConsistencyToken[],
  definitions: Pick<Definitions, 'stream'>,
): ConsistencyToken[] {
  return positions.filter(({ stream, partition, offset }) => {
    const source = Object.hasOwn(sources, stream) ? sources[stream] : undefined;
    if (!source) throw refused(`must name streams that the projection folds, and ${stream} is not one`);
    const definition = definitions.stream(stream);
    if (definition && definition.id !== source.id) {
      throw refused(
        `names ${stream}, which was deleted and created again: the projection folds it after a reset`,
      );
    }
    return offset >= (source.starts?.[partition] ?? 0);
  });
}

function refused(detail: string): ProblemError {
  return new ProblemError('invalid_request', `The parameter wait_for ${detail}.`, {
    errors: [{ pointer: 'wait_for', detail }],
  });
}
