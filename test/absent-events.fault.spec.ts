import { expect, it } from 'vitest';
import { systemActor } from '#registry';
import { faultSeed, HttpClient, kafkaRequest, SeededRandom, topicOf, until } from '#testkit';
import { freshStream, queryEvents, waitFor } from './api.js';
import { useFaultySystem } from './breakable-system.js';
import { useDirectAccess } from './processing/direct-system-access.js';
import { countedOf, pipe, specOf } from './processing/piped.js';
import { closeWindows } from './processing/stored.js';

const system = useFaultySystem({ processors: 1 });
const behind = useDirectAccess(system);
const random = new SeededRandom(faultSeed());

/** Number of orders: each stream has 2 partitions, so hundreds of orders wait in each. */
const orders = 600;
const withinMs = 10_000;
/** The API key of this request in Kafka's protocol. */
const produce = 0;

interface Order {
  entity: string;
  placedAt: number;
  /** When the payment of the order is written: before the first kill, between the kill and the restart, or never. */
  paid: 'before' | 'meanwhile' | 'never';
  /** Whether the payment has a time that `within` permits. */
  inTime: boolean;
}

/** Two hours ago, so that only the events of `closeWindows` decide orders. */
const begin = Date.now() - 7_200_000;

function randomOrder(_: unknown, index: number): Order {
  return {
    entity: `order-${index}`,
    placedAt: begin + random.int(60_000),
    paid: random.pick(['before', 'meanwhile', 'never']),
    inTime: random.chance(0.7),
  };
}

function shuffled<T>(list: readonly T[]): T[] {
  const left = [...list];
  return list.map(() => left.splice(random.int(left.length), 1)[0]!);
}

const placed = ({ entity, placedAt }: Order) => ({
  ...{ event_type: 'order.placed', entity_id: entity, timestamp: new Date(placedAt).toISOString() },
  data: { entity },
});

function payment({ entity, placedAt, inTime }: Order): object {
  const time = placedAt + (inTime ? random.int(withinMs + 1) : withinMs + 1 + random.int(withinMs));
  return {
    ...{ event_type: 'order.paid', entity_id: entity, timestamp: new Date(time).toISOString() },
    data: {},
  };
}

async function write(stream: string, events: readonly object[]): Promise<void> {
  const client = new HttpClient(system().stack.urls.ingest);
  for (let i = 0; i < events.length; i += 100) {
    const batch = events.slice(i, i + 100).map((event) => ({ stream, ...event }));
    const answer = await client.post('/api/v1/events/batch', { events: batch });
    expect(answer.status, answer.text).toBe(201);
  }
  await client.close();
}

async function untilProcessed(name: string, events: number): Promise<void> {
  let processed = 0;
  const isProcessed = async () => ({ processed } = await countedOf(behind(), name)).processed >= events;
  await until(isProcessed, {
    what: `${name} has processed ${events} events`,
    progress: () => processed,
    patienceMs: 150_000,
  });
}

/** Kills the processor when it writes what is missing, and again when it saves that nothing waits any more. */
async function killAroundTheFiring(missing: string, fire: () => Promise<void>): Promise<void> {
  const { engines, stack } = system();
  const [processor] = stack.processors;
  const topic = await topicOf(stack, missing);
  const isOutput = (chunk: Buffer) => kafkaRequest(produce)(chunk) && chunk.includes(topic);
  const isSave = (chunk: Buffer) => chunk.includes('INSERT') && chunk.includes('pipeline_states');
  const lost = () => ({ do: random.pick(['reset', 'swallow-answer'] as const) });
  const written = engines.kafkaProxy.trap(isOutput, lost());
  await fire();
  await written;
  await processor!.kill('SIGKILL');
  const saved = engines.clickhouseProxy.trap(isSave, lost());
  processor!.launch();
  await saved;
  await processor!.restart('SIGKILL');
}

it(
  `given orders that wait for their payments, when the processor is killed while they wait and around the firing, each ` +
    `missing payment comes exactly once, and none for a paid order`,
  async () => {
    const { stack, definitions, log } = behind();
    const [processor] = stack.processors;
    const [stream, missing] = [freshStream('orders'), freshStream('missing')];
    for (const one of [stream, missing])
      await definitions.createStream({ stream: one, partitions: 2 }, systemActor);
    const expecting = {
      after: 'event.event_type == "order.placed"',
      event: 'event.event_type == "order.paid"',
      key: 'event.entity_id',
      within: `${withinMs / 1000}s`,
      lateness: '1h',
      as: 'payment.missing',
    };
    const spec = specOf([stream], [{ expect: expecting }, { emit: { stream: missing } }]);
    await pipe(behind(), missing, { ...spec, source: { ...spec.source, idle_after: '1h' } });

    const all = Array.from({ length: orders }, randomOrder);
    const paid = (when: Order['paid']) => all.filter((order) => order.paid === when).map(payment);
    const before = shuffled([...all.map(placed), ...paid('before')]);
    await write(stream, before);
    // With and without a checkpoint that has all of them.
    if (random.chance(0.7)) await untilProcessed(missing, before.length);
    await processor!.kill('SIGKILL');
    const meanwhile = shuffled(paid('meanwhile'));
    await write(stream, meanwhile);
    await processor!.launch().ready();
    await untilProcessed(missing, before.length + meanwhile.length);
    expect(await countedOf(behind(), missing)).toMatchObject({ emitted: 0, late: 0 });

    await killAroundTheFiring(missing, () => closeWindows(stack, [stream]));

    const unpaid = all.filter(({ paid: when, inTime }) => when === 'never' || !inTime);
    const isCounted = async () => (await countedOf(behind(), missing)).emitted >= unpaid.length;
    await until(isCounted, { what: 'all missing payments are counted', patienceMs: 150_000 });
    const ends = await log.admin.offsets(await topicOf(stack, missing));
    const last = ends.map(({ partition, end }) => ({ partition, offset: end - 1 }));
    const position = waitFor(last, missing);
    const { events } = await queryEvents(stack.core, { stream: missing, limit: '1000' }, position);
    const shown = events.map(({ entity_id, event_type, timestamp }) => [entity_id, event_type, timestamp]);
    const desired = unpaid.map(({ entity, placedAt }) => [
      ...[entity, 'payment.missing', new Date(placedAt).toISOString().replace('Z', '000Z')],
    ]);
    expect(shown.sort()).toEqual(desired.sort());
    expect(await countedOf(behind(), missing)).toMatchObject({ emitted: unpaid.length, late: 0, failed: 0 });
  },
);
