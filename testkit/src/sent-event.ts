import { createHash } from 'node:crypto';
import type { SeededRandom } from './seeded-random.js';

/** An event as a client sends it. The members `data` and `metadata` are raw JSON text. */
export interface SentEvent {
  event_id: string;
  stream: string;
  event_type: string;
  entity_id: string | null;
  /** Event time such as `2026-11-21T04:00:00.000123Z`, in the form in which a query returns the event time. */
  timestamp: string;
  data: string;
  metadata: string;
}

/** Returns a hash of the fields of an event that a query must return unchanged. */
export function hashOf(
  event: Pick<SentEvent, 'event_type' | 'timestamp' | 'entity_id' | 'data' | 'metadata'>,
): string {
  const parts = [event.event_type, event.timestamp, event.entity_id ?? '', event.data, event.metadata];
  return createHash('sha256').update(parts.join('\0')).digest('base64url').slice(0, 22);
}

/** Returns an event as the JSON of a write request, with `data` and `metadata` unchanged. */
export function sentEventToJson(event: SentEvent): string {
  const entity = event.entity_id === null ? '' : `,"entity_id":${JSON.stringify(event.entity_id)}`;
  return (
    `{"event_id":"${event.event_id}","stream":${JSON.stringify(event.stream)}` +
    `,"event_type":${JSON.stringify(event.event_type)}${entity},"timestamp":"${event.timestamp}"` +
    `,"metadata":${event.metadata},"data":${event.data}}`
  );
}

const words = [
  'plain',
  'žluťoučký kůň',
  '日本語',
  '🐎🏇',
  'quote " back \\ slash',
  'line\nbreak',
  'مرحبا',
  'a b',
];
const numbers = [
  '9007199254740993',
  '0.10',
  '-0.0',
  '1E2',
  '123456789012345678901234567890',
  '5',
  '5.50',
  '0.1',
];
const types = ['order.placed', 'order.paid', 'order.shipped', 'objednávka.zrušena'];
const firstInstant = Date.UTC(2026, 0, 1) * 1000;

/** Generates the next event, with names, numbers and texts that programs often change. */
export function makeEvent(
  random: SeededRandom,
  target: { stream: string; entityId: string | null },
): SentEvent {
  const micros = firstInstant + random.int(86_400_000) * 1000 + random.int(1000);
  const millis = new Date(Math.floor(micros / 1000)).toISOString().slice(0, -1);
  const filler = 'x'.repeat(random.chance(0.02) ? random.int(20_000) : random.int(100));
  return {
    event_id: random.uuid(),
    stream: target.stream,
    event_type: random.pick(types),
    entity_id: target.entityId,
    timestamp: `${millis}${String(micros % 1000).padStart(3, '0')}Z`,
    data:
      `{"z":${random.pick(numbers)},"amount":${random.int(10_000)}.${random.int(10)}0, "a":${JSON.stringify(random.pick(words))}` +
      `,"list":[${random.int(9)},${random.pick(numbers)},{"deep":${JSON.stringify(random.pick(words))}}],"f":"${filler}"}`,
    metadata: `{"source":${JSON.stringify(random.pick(words))},"n":${random.pick(numbers)}}`,
  };
}
