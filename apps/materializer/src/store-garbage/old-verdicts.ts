import type { StreamId, TopicNames } from '#event';
import type { TopicAdmin } from '#log';
import type { Definitions } from '#registry';
import { rangeOffsets, type VerdictPublisher, type VerdictTable } from '#verdicts';

export interface OldVerdictsOptions {
  admin: Pick<TopicAdmin, 'offsetsIn' | 'partitions'>;
  definitions: Pick<Definitions, 'streams'>;
  topics: Pick<TopicNames, 'verdicts' | 'ofStream'>;
  verdicts: Pick<VerdictTable, 'ready' | 'ranges'>;
  publisher: Pick<VerdictPublisher, 'remove'>;
}

/** Most ranges that one call removes. */
const mostRemoved = 10_000;

/**
 * Removes verdicts on records that the log does not have any more: retention has removed the records, or the stream is
 * deleted. Returns the number of removed ranges.
 */
export async function removeOldVerdicts(options: OldVerdictsOptions): Promise<number> {
  const { admin, definitions, topics, verdicts, publisher } = options;
  if ((await admin.partitions(topics.verdicts)) === undefined) return 0;
  await verdicts.ready();
  const live = new Set(definitions.streams().map(({ id }: { id: StreamId }) => topics.ofStream(id)));
  const beginnings = await beginningsOf(admin, live);
  const old = [];
  for (const range of verdicts.ranges()) {
    const isGone = !live.has(range.topic);
    const beginning = beginnings.get(`${range.topic}/${range.partition}`) ?? 0;
    if (isGone || (range.range + 1) * rangeOffsets <= beginning) old.push(range);
    if (old.length === mostRemoved) break;
  }
  await publisher.remove(old);
  return old.length;
}

async function beginningsOf(
  admin: Pick<TopicAdmin, 'offsetsIn'>,
  topics: ReadonlySet<string>,
): Promise<Map<string, number>> {
  const beginnings = new Map<string, number>();
  for (const [topic, offsets] of await admin.offsetsIn([...topics]))
    for (const { partition, beginning } of offsets) beginnings.set(`${topic}/${partition}`, beginning);
  return beginnings;
}
