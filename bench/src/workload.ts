/** An event as a client sends it, about 280 bytes of JSON. The server assigns ids and times. */
export interface BenchEvent {
  stream: string;
  event_type: string;
  entity_id: string;
  data: Record<string, unknown>;
}

export const entities = 5_000;
export const eventTypes = [
  'order.placed',
  'order.paid',
  'order.shipped',
  'order.delivered',
  'order.returned',
];
const currencies = ['EUR', 'USD', 'GBP', 'JPY'];
const countries = ['DE', 'FR', 'US', 'JP', 'BR', 'IN'];

/** A typical schema of such events: it describes every member, and not all of them are required. */
export const orderSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'An order',
  type: 'object',
  required: ['amount', 'currency', 'customer', 'items'],
  properties: {
    amount: { type: 'number', minimum: 0 },
    currency: { type: 'string', pattern: '^[A-Z]{3}$' },
    customer: {
      type: 'object',
      required: ['id'],
      properties: {
        id: { type: 'string', minLength: 1, maxLength: 64 },
        country: { type: 'string', minLength: 2, maxLength: 2 },
      },
    },
    items: {
      type: 'array',
      minItems: 1,
      maxItems: 1_000,
      items: {
        type: 'object',
        required: ['sku', 'quantity'],
        properties: {
          sku: { type: 'string', minLength: 1, maxLength: 64 },
          quantity: { type: 'integer', minimum: 1 },
          price: { type: 'number', minimum: 0 },
        },
      },
    },
    channel: { enum: ['web', 'app', 'shop'] },
    note: { type: 'string', maxLength: 1_000 },
  },
};

/** Returns a generator of numbers in [0, 1) that are the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A prime that divides no used number of entities, so repeated steps reach each entity once. */
const stride = 611_953;

/**
 * Returns the events of the workload: the same ones for the same seed. With `distinct`, each has an entity of its
 * own.
 */
export function benchEvents(
  count: number,
  options: { stream: string; seed: number; distinct?: boolean },
): BenchEvent[] {
  const random = randomFrom(options.seed);
  const below = (limit: number) => Math.floor(random() * limit);
  return Array.from({ length: count }, (_, i) => ({
    stream: options.stream,
    event_type: eventTypes[below(eventTypes.length)]!,
    entity_id: `order-${options.distinct ? (i * stride) % count : below(entities)}`,
    data: {
      amount: below(100_000) / 100,
      currency: currencies[below(currencies.length)],
      customer: { id: `customer-${below(100_000)}`, country: countries[below(countries.length)] },
      items: [{ sku: `sku-${below(10_000)}`, quantity: 1 + below(5), price: below(10_000) / 100 }],
      channel: 'web',
      note: 'please leave it with the neighbour',
    },
  }));
}

/** Returns bodies of `POST /api/v1/streams/{stream}/raw`: the same events in the form in which a shipper sends them. */
export function rawBodies(events: readonly BenchEvent[], size: number): string[] {
  const lines = events.map(({ event_type: kind, entity_id: order, data }) =>
    JSON.stringify({ kind, order, ...data }),
  );
  return Array.from({ length: Math.floor(lines.length / size) }, (_, index) =>
    lines.slice(index * size, (index + 1) * size).join('\n'),
  );
}

/** Returns bodies of `POST /api/v1/events/batch`. */
export function batchBodies(events: readonly BenchEvent[], size: number): string[] {
  return inBatches(
    events.map((event) => JSON.stringify(event)),
    size,
  );
}

/**
 * Returns bodies of single events, or of batches, for the peer of the measure `PEER`: the same events in its form. A
 * stream becomes a tenant.
 */
export function peerBodies(events: readonly BenchEvent[], size: number): string[] {
  const texts = events.map(({ stream, data, ...event }) =>
    JSON.stringify({ tenant_id: stream, ...event, payload: data }),
  );
  return size > 1 ? inBatches(texts, size) : texts;
}

function inBatches(texts: readonly string[], size: number): string[] {
  return Array.from({ length: Math.floor(texts.length / size) }, (_, index) => {
    const batch = texts.slice(index * size, (index + 1) * size);
    return `{"events":[${batch.join(',')}]}`;
  });
}
