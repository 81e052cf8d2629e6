import { streamNamePattern } from '#event';

/** Stream, partition and offset of an event that a read waits for (`wait_for`). */
export interface ConsistencyToken {
  stream: string;
  partition: number;
  offset: number;
}

/** Parses `<stream>:<partition>:<offset>`, as the answer of a write gives it. Returns undefined for any other text. */
export function parsePosition(text: string): ConsistencyToken | undefined {
  const match = /^([^:]+):(\d{1,5}):(\d{1,16})$/.exec(text);
  if (!match) return undefined;
  const [, stream = '', partition, offset] = match;
  if (!streamNamePattern.test(stream) || !Number.isSafeInteger(Number(offset))) return undefined;
  return { stream, partition: Number(partition), offset: Number(offset) };
}
