import { durationMs } from '#api';
import { parseTime, type EpochMicros } from '#json';
import { UnknownTopicError, type PartitionOffsetRange, type TopicAdmin } from '#kafka';
import type { StreamDefinition } from '#registry';

/** A stream, and the instant at which a reader starts in it. */
interface StartInstant extends Pick<StreamDefinition, 'created_at' | 'retention'> {
  instant: EpochMicros;
}

/** The log has perhaps removed events that arrived at the instant or later. */
export interface LogIsShorter {
  /** The earliest instant, exact to a second, at which a reader can start; undefined if it can start only at the end. */
  reachesTo: EpochMicros | undefined;
}

type OffsetAdmin = Pick<TopicAdmin, 'offsets' | 'offsetsAt'>;

/**
 * Resolves with the first offset of each partition that arrived at the instant or later; undefined if the topic does
 * not exist.
 * @throws LogUnavailableError
 */
export async function startAt(
  admin: OffsetAdmin,
  topic: string,
  { instant, created_at, retention }: StartInstant,
): Promise<number[] | LogIsShorter | undefined> {
  try {
    const ranges = await admin.offsets(topic);
    const offsetsAt = async (micros: EpochMicros) => {
      // Kafka takes negative times as its own constants, and no record is older than 1970.
      const offsets = await admin.offsetsAt(topic, Math.max(0, Math.floor(micros / 1000)));
      return ranges.map(({ partition, end }) => offsets.get(partition) ?? end);
    };
    const isWhole = (offsets: readonly number[], from: EpochMicros) =>
      ranges.every((range, i) => isWholeSince(range, offsets[i] ?? 0, isKept(from, retention)));
    const starts = await offsetsAt(instant);
    if (isWhole(starts, instant)) return starts;
    const earliest = Math.max(instant, parseTime(created_at) ?? instant);
    const reachesTo = await firstWhole(earliest, async (from) => isWhole(await offsetsAt(from), from));
    return { reachesTo };
  } catch (error) {
    if (error instanceof UnknownTopicError) return undefined;
    throw error;
  }
}

/**
 * Whether a partition still has every event that arrived at an instant or later: it never lost one, has an earlier event,
 * or is empty and keeps events for long enough.
 */
function isWholeSince(
  { beginning, end }: PartitionOffsetRange,
  firstSince: number,
  isWithinRetention: boolean,
): boolean {
  return beginning === 0 || firstSince > beginning || (beginning === end && isWithinRetention);
}

/** Whether the retention alone keeps events that arrived at this instant. */
function isKept(instant: EpochMicros, retention: StreamDefinition['retention']): boolean {
  if (retention === 'unlimited' || retention.time === undefined || retention.bytes !== undefined)
    return false;
  return instant / 1000 >= Date.now() - durationMs(retention.time);
}

const secondMicros = 1_000_000;

/** Searches the first second up to now for which `isWhole` resolves true; `tooEarly` is one for which it does not. */
async function firstWhole(
  tooEarly: EpochMicros,
  isWhole: (from: EpochMicros) => Promise<boolean>,
): Promise<EpochMicros | undefined> {
  let low = Math.floor(tooEarly / secondMicros);
  let high = Math.ceil(Date.now() / 1000);
  if (!(await isWhole(high * secondMicros))) return undefined;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await isWhole(middle * secondMicros)) high = middle;
    else low = middle;
  }
  return high * secondMicros;
}
