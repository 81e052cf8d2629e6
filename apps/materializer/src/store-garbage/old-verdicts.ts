import type { TopicAndGroupNames } from '#event';
import type { TopicAdmin } from '#kafka';
import { rangeOffsets, type VerdictPublisher, type VerdictTable } from '#verdicts';

export interface OldVerdictRemovalOptions {
  admin: Pick<TopicAdmin, 'offsetsIn' | 'partitions'>;
  topics: Pick<TopicAndGroupNames, 'verdicts'>;
  verdicts: Pick<VerdictTable, 'ready' | 'ranges' | 'marked'>;
  publisher: Pick<VerdictPublisher, 'remove' | 'removeMarks'>;
}

/** Maximum number of offset ranges whose verdicts one call removes. */
const mostRemoved = 10_000;

/**
 * Removes the verdicts on records that Kafka no longer has, because retention has removed the records or their topic
 * does not exist, and the marks of topics that do not exist. Returns the number of offset ranges whose verdicts were removed.
 */
export async function removeOldVerdicts({
  admin,
  topics,
  verdicts,
  publisher,
}: OldVerdictRemovalOptions): Promise<number> {
  if ((await admin.partitions(topics.verdicts)) === undefined) return 0;
  await verdicts.ready();
  const ranges = [...verdicts.ranges()];
  const marked = [...verdicts.marked()];
  const beginnings = await beginningsOf(admin, new Set([...ranges, ...marked].map(({ topic }) => topic)));
  const old = ranges.filter(({ topic, partition, range }) => {
    const beginning = beginnings.get(topic)?.get(partition) ?? 0;
    return (range + 1) * rangeOffsets <= beginning;
  });
  await publisher.remove(old.slice(0, mostRemoved));
  await publisher.removeMarks(
    marked.filter(({ topic, partition }) => beginnings.get(topic)?.get(partition) === Infinity),
  );
  return Math.min(old.length, mostRemoved);
}

/** Returns the first offset of each partition; infinite for every partition of a topic that does not exist. */
async function beginningsOf(
  admin: OldVerdictRemovalOptions['admin'],
  topics: ReadonlySet<string>,
): Promise<Map<string, { get(partition: number): number | undefined }>> {
  const found = await admin.offsetsIn([...topics]);
  const beginnings = new Map<string, { get(partition: number): number | undefined }>();
  for (const topic of topics) {
    const offsets = found.get(topic);
    if (offsets)
      beginnings.set(topic, new Map(offsets.map(({ partition, beginning }) => [partition, beginning])));
    // Kafka's answer also leaves out a topic without a leader, so a second request checks whether the topic exists.
    else if ((await admin.partitions(topic)) === undefined) beginnings.set(topic, { get: () => Infinity });
  }
  return beginnings;
}
