import type { Actor } from '../resources/resource-store.js';
import type { StreamOperationDependencies } from './stream-creator.js';
import { requireStream, visibleStream, type StreamDefinition } from './stream-definition.js';
import { rejectReservedName, streamBeingDeleted, streamProblem } from './stream-problems.js';
import { retentionConfig } from './stream-topic.js';

/** The most rounds of applying settings to a topic. Each further round applies those of a newer concurrent change. */
const maxRounds = 10;

/**
 * Changes the retention or the snapshot interval of a stream. The definition is changed first, because the log orders
 * concurrent changes, and then the topic. After changing the topic, the function checks whether the definition is still
 * the same, and otherwise applies the newer one.
 */
export async function changeStream(
  dependencies: StreamOperationDependencies,
  { name, next }: { name: string; next: (current: StreamDefinition) => StreamDefinition },
  actor: Actor,
): Promise<StreamDefinition> {
  rejectReservedName(name);
  const change = (current: StreamDefinition | undefined) =>
    withSettings(requireStream(visibleStream(current), name), next);
  try {
    const { value } = await dependencies.streams.change(name, change, actor);
    const changed = requireStream(value, name);
    await configureTopic(dependencies, changed);
    return changed;
  } catch (error) {
    throw streamProblem(error, name);
  }
}

function withSettings(
  stream: StreamDefinition,
  next: (current: StreamDefinition) => StreamDefinition,
): StreamDefinition {
  if (stream.state === 'deleting') throw streamBeingDeleted(stream.stream);
  const { retention, snapshot_every } = next(stream);
  // Throws for invalid settings before anything is written.
  retentionConfig(stream.partitions, retention);
  const same =
    JSON.stringify(retention) === JSON.stringify(stream.retention) &&
    snapshot_every === stream.snapshot_every;
  return same ? stream : { ...stream, retention, ...(snapshot_every !== undefined && { snapshot_every }) };
}

async function configureTopic(
  { log, names, streams, upToDate }: StreamOperationDependencies,
  changed: StreamDefinition,
): Promise<void> {
  const topic = names.ofStream(changed.id);
  let applied = changed;
  for (let round = 0; round < maxRounds; round++) {
    await log.admin.configure(topic, retentionConfig(applied.partitions, applied.retention));
    await upToDate();
    const now = streams.get(changed.stream);
    if (now?.id !== changed.id || now === applied || now.state === 'deleting') return;
    applied = now;
  }
}
