import { FetchedRecord } from './record-decoder.js';
import type { ConsumerRecord } from '../../log.js';

/**
 * Returns one header of a record, or undefined if it is missing or the headers are damaged. `headerOf` is much cheaper
 * than `record.headers` if many records are searched for one header.
 */
export function headerOf(record: ConsumerRecord, name: string): Buffer | undefined {
  if (!(record instanceof FetchedRecord)) return record.headers[name];
  try {
    return record.header(name);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
