import type { Actor } from '../resources/resource-store.js';
import { rejectReservedName } from './reserved-names.js';
import type { StreamDefinition } from './stream-definition.js';
import { streamBeingDeleted, requireStream, streamProblem } from './stream-problems.js';
import { retentionConfig } from './stream-topic.js';
import type { StreamOperationDependencies } from './stream-operation-dependencies.js';
import { visibleStream } from './stream-rules.js';

/**
 * The most rounds of applying settings to a topic. Each further round applies the settings of a newer concurrent
 * change; such changes are rare.
 */
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
  try {
    const { value } = await dependencies.kind.change(
      name,
      (current) => withSettings(current, name, next),
      actor,
    );
    return await configure(dependencies, requireStream(value, name));
  } catch (error) {
    throw streamProblem(error, name);
  }
}

function withSettings(
  current: StreamDefinition | undefined,
  name: string,
  next: (current: StreamDefinition) => StreamDefinition,
): StreamDefinition {
  const stream = requireStream(visibleStream(current), name);
  if (stream.state === 'deleting') throw streamBeingDeleted(name);
  const { retention, snapshot_every } = next(stream);
  // Throws for invalid settings before anything is written.
  retentionConfig(stream.partitions, retention);
  const same =
    JSON.stringify(retention) === JSON.stringify(stream.retention) &&
    snapshot_every === stream.snapshot_every;
  return same ? stream : { ...stream, retention, ...(snapshot_every !== undefined && { snapshot_every }) };
}

async function configure(
  dependencies: StreamOperationDependencies,
  changed: StreamDefinition,
): Promise<StreamDefinition> {
  const { log, names, kind, upToDate } = dependencies;
  const topic = names.ofStream(changed.id);
  let applied = changed;
  for (let round = 0; round < maxRounds; round++) {
    await log.admin.configure(topic, retentionConfig(applied.partitions, applied.retention));
    await upToDate();
    const now = kind.get(changed.stream);
    if (now?.id !== changed.id || now === applied || now.state === 'deleting') break;
    applied = now;
  }
  return changed;
}
