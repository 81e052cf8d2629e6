import { streamNamePattern } from '#event';

/** A place in a stream that a query waits for. */
export interface StreamPosition {
  stream: string;
  partition: number;
  offset: number;
}

/** Reads `<stream>:<partition>:<offset>`, as a write's answer names it; undefined for anything else. */
export function parsePosition(text: string): StreamPosition | undefined {
  const match = /^([^:]+):(\d{1,5}):(\d{1,16})$/.exec(text);
  if (!match) return undefined;
  const [, stream = '', partition, offset] = match;
  if (!streamNamePattern.test(stream) || !Number.isSafeInteger(Number(offset))) return undefined;
  return { stream, partition: Number(partition), offset: Number(offset) };
}
