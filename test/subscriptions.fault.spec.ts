import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { faultSeed, HttpClient, SeededRandom, testsAll, until } from '#testkit';
import { freshStream, type ReadEvent } from './api.js';
import { useFaultySystem } from './breakable-system.js';

const system = useFaultySystem({ materializers: 1 });

const leaseMs = 3_000;
const entities = 12;
const least = testsAll ? 1_500 : 400;

interface ReceivedEvent {
  token: string;
  event: ReadEvent;
}

/** What is known of the events of one subscription, from the view of its workers. */
class ConsumptionLedger {
  /** The tokens under which each event came. */
  private readonly tokens = new Map<string, Set<string>>();
  /** When each acknowledgement was confirmed, in milliseconds of `performance.now()`. */
  readonly confirmed = new Map<string, number>();
  readonly findings: string[] = [];
  private readonly handled = new Map<string, Set<number>>();

  constructor(private readonly isOrdered: boolean) {}

  /** @param askedAt when the request was sent that the event answers: a process may be frozen while it answers */
  received({ token, event }: ReceivedEvent, askedAt: number): void {
    const { event_id: id, entity_id: entity, data } = event;
    const n = data.n as number;
    if (askedAt > (this.confirmed.get(id) ?? Infinity))
      this.findings.push(`${id} came again after its acknowledgement was confirmed`);
    const tokens = this.tokens.get(id) ?? new Set();
    this.tokens.set(id, tokens.add(token));
    if (!this.isOrdered || entity === null) return;
    const done = this.handled.get(entity) ?? new Set();
    for (let earlier = 0; earlier < n; earlier++)
      if (!done.has(earlier)) this.findings.push(`${entity}/${n} came before ${earlier} was done`);
  }

  confirm(id: string): void {
    if (!this.confirmed.has(id)) this.confirmed.set(id, performance.now());
  }

  acknowledges({ event }: ReceivedEvent): void {
    const done = this.handled.get(event.entity_id!) ?? new Set();
    this.handled.set(event.entity_id!, done.add(event.data.n as number));
  }

  /** Returns how many of these events are not acknowledged, as far as is known, and how many never came. */
  left(written: ReadonlySet<string>): { unconfirmed: number; neverReceived: number } {
    const all = [...written];
    return {
      unconfirmed: all.filter((id) => !this.confirmed.has(id)).length,
      neverReceived: all.filter((id) => !this.tokens.has(id)).length,
    };
  }

  get deliveries(): number {
    return [...this.tokens.values()].reduce((sum, { size }) => sum + size, 0);
  }
}

/** Asks for events at one gateway, and acknowledges, refuses or forgets each. Failed requests are repeated. */
async function work(
  client: HttpClient,
  path: string,
  { ledger, random, isOver }: { ledger: ConsumptionLedger; random: SeededRandom; isOver: () => boolean },
): Promise<void> {
  while (!isOver()) {
    const askedAt = performance.now();
    const answer = await client.post(`${path}/receive`, { max: 15, wait: '2s' }).catch(() => undefined);
    if (answer?.status !== 200) {
      await sleep(200);
      continue;
    }
    const { events } = answer.json<{ events: ReceivedEvent[] }>();
    for (const one of events) ledger.received(one, askedAt);
    const acked = events.filter(() => random.chance(0.8));
    const nacked = events.filter((one) => !acked.includes(one) && random.chance(0.5));
    for (const one of acked) ledger.acknowledges(one);
    const body = {
      ack: acked.map(({ token }) => token),
      nack: nacked.map(({ token }) => ({ token, delay: '1s' })),
    };
    if (acked.length + nacked.length === 0) continue;
    // A worker that does not know whether its acknowledgement has arrived repeats it.
    while (!isOver()) {
      const settled = await client.post(`${path}/ack`, body).catch(() => undefined);
      if (settled?.status === 200) {
        const { ack } = settled.json<{ ack: string[] }>();
        for (const [i, result] of ack.entries())
          if (result === 'done') ledger.confirm(acked[i]!.event.event_id);
        break;
      }
      await sleep(300);
    }
  }
}

/** Writes events of each entity in turn until it is over, each until it is acknowledged. */
async function write(client: HttpClient, stream: string, isOver: () => boolean): Promise<Set<string>> {
  const written = new Set<string>();
  const writeEntity = async (entity_id: string) => {
    for (let n = 0; !isOver(); n++) {
      const event_id = randomUUID();
      const event = { event_id, stream, event_type: 't', entity_id, data: { n } };
      let status = 0;
      while (status !== 201) {
        status = (await client.post('/api/v1/events', event).catch(() => undefined))?.status ?? 0;
        if (status !== 201) await sleep(200);
      }
      written.add(event_id);
      await sleep(400);
    }
  };
  await Promise.all(Array.from({ length: entities }, (_, i) => writeEntity(`e${i}`)));
  return written;
}

it(
  'given workers at two gateways, when gateways and Kafka are killed and frozen, every event is acknowledged in the end, ' +
    'none comes after its acknowledgement was confirmed, and those of an entity come in their order',
  async () => {
    const { stack, engines } = system();
    const random = new SeededRandom(faultSeed());
    const second = await stack.startGateway();
    const clients = [stack.core, new HttpClient(second.url)];
    const stream = freshStream('handed-out');
    await stack.core.post('/api/v1/streams', { stream });
    const kinds = ['entity', 'none'] as const;
    for (const order of kinds) {
      const body = JSON.stringify({
        ...{ source: { streams: [stream] }, from: 'beginning', order },
        ...{ ack_within: `${leaseMs / 1000}s`, retry: { attempts: 100 } },
      });
      const headers = { 'content-type': 'application/json' };
      const answer = await stack.core.send('PUT', `/api/v1/subscriptions/${order}`, { body, headers });
      expect(answer.status, answer.text).toBe(201);
    }
    const ledgers = kinds.map((order) => new ConsumptionLedger(order === 'entity'));
    let [isWritten, isOver] = [false, false];
    const writing = write(stack.write, stream, () => isWritten);
    const working = kinds.flatMap((order, i) =>
      clients.flatMap((client, at) =>
        [0, 1].map((n) =>
          work(client, `/api/v1/subscriptions/${order}`, {
            ledger: ledgers[i]!,
            random: random.fork(10 * i + 2 * at + n),
            isOver: () => isOver,
          }),
        ),
      ),
    );
    const faults = [
      async () => {
        await second.gateway.kill('SIGKILL');
        await sleep(1_000);
        await second.gateway.launch().ready();
      },
      async () => {
        stack.gateway.pause();
        await sleep(2 * leaseMs);
        stack.gateway.resume();
      },
      async () => {
        await engines.killKafka();
        await sleep(1_000);
        await engines.startKafka();
      },
      async () => {
        await Promise.all([stack.gateway, second.gateway].map((app) => app.kill('SIGKILL')));
        await Promise.all([stack.gateway, second.gateway].map((app) => app.launch().ready()));
      },
      async () => {
        await engines.killClickHouse();
        await sleep(1_000);
        await engines.startClickHouse();
      },
    ];
    const acknowledged = () => ledgers.map(({ confirmed }) => confirmed.size);
    try {
      for (const fault of faults) {
        const before = acknowledged();
        await until(() => acknowledged().every((count, i) => count >= before[i]! + 10), {
          ...{ what: 'further acknowledgements', progress: () => acknowledged().join(), patienceMs: 60_000 },
        });
        await fault();
      }
      await until(() => Math.min(...acknowledged()) >= least, {
        ...{
          what: `${least} acknowledged events`,
          progress: () => acknowledged().join(),
          patienceMs: 60_000,
        },
      });
      isWritten = true;
      const written = await writing;
      const left = () => ledgers.map((ledger) => ledger.left(written).unconfirmed);
      await until(() => left().every((count) => count === 0), {
        ...{
          what: 'all events acknowledged',
          progress: () => JSON.stringify(ledgers.map((ledger) => ledger.left(written))),
        },
        patienceMs: 60_000,
      });
      for (const [i, ledger] of ledgers.entries()) {
        process.stderr.write(`${kinds[i]}: ${written.size} events, ${ledger.deliveries} hand-outs\n`);
        // The gateway that is asked may read the last acknowledgements of the other one a moment later.
        let shown: Record<string, number> = {};
        const numbers = ['outstanding', 'retrying', 'waiting', 'parked', 'lag'];
        const isIdle = async () => {
          shown = (await stack.core.get(`/api/v1/subscriptions/${kinds[i]}`)).json<typeof shown>();
          return numbers.every((name) => shown[name] === 0);
        };
        await until(isIdle, { what: 'nothing is left', progress: () => JSON.stringify(shown) });
        expect(ledger.findings).toEqual([]);
      }
    } finally {
      [isWritten, isOver] = [true, true];
      await Promise.allSettled([writing, ...working]);
      await clients[1]!.close();
    }
  },
  600_000,
);
