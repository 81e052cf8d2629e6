import { ProblemError } from '#contracts';
import type { Actor } from '../kind.js';
import { refuseReserved } from './reserved-names.js';
import type { StreamDefinition } from './stream-definition.js';
import { foundStream, streamProblem } from './stream-problems.js';
import type { StreamParts } from './streams.js';

/** The first phase: everybody learns that nothing may be written or seen any more. */
export async function beginDeletion(
  { kind }: StreamParts,
  name: string,
  actor: Actor,
): Promise<StreamDefinition> {
  refuseReserved(name);
  const begun = (current: StreamDefinition | undefined): StreamDefinition => {
    const stream = foundStream(current, name);
    return stream.state === 'deleting' ? stream : { ...stream, state: 'deleting' };
  };
  const { value } = await kind.change(name, begun, actor);
  return foundStream(value, name);
}

/** The second phase, when topic and rows are removed: the name is free. */
export async function finishDeletion(parts: StreamParts, name: string, actor: Actor): Promise<void> {
  const { log, names, kind, upToDate } = parts;
  try {
    await upToDate();
    const known = kind.get(name);
    if (!known) return;
    refuseLive(known);
    await log.admin.remove(names.ofStream(name));
    const gone = (current: StreamDefinition | undefined): StreamDefinition | undefined => {
      if (current?.stream !== name) return current;
      refuseLive(current);
      return undefined;
    };
    await kind.change(name, gone, actor);
  } catch (error) {
    throw streamProblem(error, name);
  }
}

function refuseLive({ stream, state }: StreamDefinition): void {
  if (state === 'deleting') return;
  throw new ProblemError('invalid_request', `The deletion of the stream ${stream} has not begun.`);
}
