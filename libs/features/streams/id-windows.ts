import { Inject, Injectable } from '@nestjs/common';
import { LOG } from '#app';
import { DedupeSettings, farBounds, mostFarIds } from '#dataflow';
import { TopicAndGroupNames, type StreamId } from '#event';
import type { TopicAdmin } from '#kafka';
import { withinPatience } from './stream-size-and-lag-reader.js';

/** Ids that a partition remembers: at most `records`, for at most `most` seconds before `now` (milliseconds). */
interface IdLimit {
  topic: string;
  records: number;
  most: number;
  now: number;
}

/** Computes from Kafka offsets for how long a repeated event id is recognised as a duplicate in a stream. */
@Injectable()
export class IdWindowDurationReader {
  constructor(
    @Inject(LOG) private readonly log: { admin: Pick<TopicAdmin, 'offsets' | 'offsetsAt'> },
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
    const topic = this.topics.ofStream(stream);
    const now = Date.now();
    const longest = async (): Promise<number> => {
      const near = await this.shortest({ topic, records, most: minutes * 60, now });
      const most = milliseconds / 1000;
      if (near >= most) return near;
      return Math.max(near, await this.shortest({ topic, records: mostFarIds, most, now }));
    };
    return withinPatience(longest());
  }

  /** Resolves with the longest time in seconds, up to `most`, in which no partition has had more records than `records`. */
  private async shortest({ topic, records, most, now }: IdLimit): Promise<number> {
    const { admin } = this.log;
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
}
