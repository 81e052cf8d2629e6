import { unreadable } from './otlp-request-errors.js';

/**
 * Returns the id of a trace or span as hexadecimal text. An id that is empty or zero stands for a missing one, and
 * becomes an empty text. Source: `logs.proto`.
 * @throws UnreadableMessageError if it has another length
 */
export function hexId(id: Buffer, { bytes, field }: { bytes: number; field: string }): string {
  if (id.length !== 0 && id.length !== bytes)
    throw unreadable(`${field} has ${id.length} bytes instead of ${bytes}, as hexadecimal or Base64`);
  return id.every((byte) => byte === 0) ? '' : id.toString('hex');
}
