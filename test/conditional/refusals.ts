import type { RecordDecision } from '#testkit';
import { readCompactedTopic } from './read-log.js';

/** Offsets of one key of the topic. */
const rangeOffsets = 16_384;

interface PartitionRefusals {
  decided: number;
  bits: Map<number, Buffer>;
}

/**
 * Reads the verdicts on one topic as docs/conditional-writes.md explains it to Kafka readers, without the code of
 * `#verdicts`.
 */
export async function readRefusals(brokers: string, source: { verdicts: string; topic: string }) {
  const partitions = new Map<number, PartitionRefusals>();
  for (const { key, value } of await readCompactedTopic(brokers, source.verdicts)) {
    const [topic, partition, range] = String(key).split('/');
    if (topic !== source.topic || value === null) continue;
    const { decided, refused } = JSON.parse(String(value)) as { decided: number; refused?: string };
    const known = partitions.get(Number(partition)) ?? { decided: 0, bits: new Map<number, Buffer>() };
    if (decided < known.decided) continue;
    known.decided = decided;
    // A mark has no bits.
    if (refused !== undefined) known.bits.set(Number(range), Buffer.from(refused, 'base64'));
    partitions.set(Number(partition), known);
  }
  return (partition: number, offset: number): boolean | undefined => {
    const { decided, bits } = partitions.get(partition) ?? { decided: 0, bits: new Map<number, Buffer>() };
    if (offset >= decided) return undefined;
    const index = offset % rangeOffsets;
    const byte = bits.get(Math.floor(offset / rangeOffsets))?.[index >> 3] ?? 0;
    return (byte & (1 << (index & 7))) !== 0;
  };
}

/** Returns the conditional records on which the topic of verdicts and the rule disagree. */
export function wrongVerdicts(
  decisions: readonly RecordDecision[],
  isRefused: Awaited<ReturnType<typeof readRefusals>>,
): string[] {
  return decisions
    .filter(({ expected }) => expected !== null)
    .filter(({ partition, offset, outcome }) => isRefused(partition, offset) !== (outcome === 'refused'))
    .map(({ partition, offset, outcome }) => {
      return `${partition}:${offset} is ${outcome}, but its verdict is ${isRefused(partition, offset)}`;
    });
}
