import { Inject, Injectable } from '@nestjs/common';
import { LOG } from '#app';
import { DedupeSettings, farBounds, mostFarIds } from '#dataflow';
import { TopicAndGroupNames, type StreamId } from '#event';
import type { TopicAdmin } from '#kafka';
import { withinPatience } from './stream-size-and-lag-reader.js';

type Admin = Pick<TopicAdmin, 'offsets' | 'offsetsAt'>;

/** Computes from Kafka offsets for how long a repeated event id is recognised as a duplicate in a stream. */
@Injectable()
export class IdWindowDurationReader {
  constructor(
    @Inject(LOG) private readonly log: { admin: Admin },
    private readonly topics: TopicAndGroupNames,
    private readonly settings: DedupeSettings,
  ) {}

  /**
   * Resolves with the seconds for which an event id is remembered, of the partition with the shortest time; null if
   * Kafka does not answer within a second. The materializer's limit of memory is not taken into account: see the metric
   * `tributary_id_window_seconds`.
   */
  async secondsOf(stream: StreamId): Promise<number | null> {
    const { DEDUPE_WINDOW_RECORDS: records, DEDUPE_WINDOW_MINUTES: minutes } = this.settings;
    const { milliseconds } = farBounds(this.settings);
    const partition = { admin: this.log.admin, topic: this.topics.ofStream(stream) };
    return withinPatience(
      longest(partition, [
        { records, seconds: minutes * 60 },
        { records: mostFarIds, seconds: milliseconds / 1000 },
      ]),
    );
  }
}

/** Returns the longest of the times that several limits give. */
async function longest(
  partition: { admin: Admin; topic: string },
  limits: readonly { records: number; seconds: number }[],
): Promise<number> {
  const now = Date.now();
  let known = 0;
  for (const { records, seconds } of limits)
    if (known < seconds) known = Math.max(known, await shortest({ ...partition, records }, seconds, now));
  return known;
}

/**
 * Returns the longest time in seconds, up to `most`, in which no partition has had more records than are remembered.
 */
async function shortest(
  { admin, topic, records }: { admin: Admin; topic: string; records: number },
  most: number,
  now: number,
): Promise<number> {
  const ends = await admin.offsets(topic);
  const isWhole = async (seconds: number): Promise<boolean> => {
    const starts = await admin.offsetsAt(topic, now - seconds * 1000);
    return ends.every(({ partition, end }) => end - (starts.get(partition) ?? end) <= records);
  };
  if (await isWhole(most)) return most;
  let [known, above] = [0, most];
  while (above - known > 1) {
    const middle = Math.floor((known + above) / 2);
    if (await isWhole(middle)) known = middle;
    else above = middle;
  }
  return known;
}
