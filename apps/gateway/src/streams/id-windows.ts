import { Inject, Injectable } from '@nestjs/common';
import { TopicAndGroupNames, type StreamId } from '#event';
import type { TopicAdmin } from '#log';
import { GatewayConfig } from '../config.js';
import { LOG } from '../shared-services/shared-services.js';
import { withinPatience } from './within-patience.js';

type Admin = Pick<TopicAdmin, 'offsets' | 'offsetsAt'>;

/** Computes from Kafka offsets for how long a repeated event id is recognised as a duplicate in a stream. */
@Injectable()
export class IdWindowDurationReader {
  constructor(
    @Inject(LOG) private readonly log: { admin: Admin },
    private readonly topics: TopicAndGroupNames,
    private readonly config: GatewayConfig,
  ) {}

  /**
   * Resolves with the id window in seconds, of the partition with the shortest one; null if Kafka does not answer
   * within a second.
   */
  async secondsOf(stream: StreamId): Promise<number | null> {
    const { DEDUPE_WINDOW_RECORDS: records, DEDUPE_WINDOW_MINUTES: minutes } = this.config;
    const question = { admin: this.log.admin, topic: this.topics.ofStream(stream), records };
    return withinPatience(shortest(question, minutes * 60, Date.now()));
  }
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
