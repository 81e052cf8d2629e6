import { FetchedRecord } from './record-decoder.js';
import type { LogRecord } from '../../log.js';

/**
 * One header of a record: much cheaper than `record.headers` where one is looked for in many records. Headers that are
 * damaged are none.
 */
export function headerOf(record: LogRecord, name: string): Buffer | undefined {
  if (!(record instanceof FetchedRecord)) return record.headers[name];
  try {
    return record.header(name);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
