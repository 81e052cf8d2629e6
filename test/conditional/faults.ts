import { setTimeout as sleep } from 'node:timers/promises';
import type { AppProcess, ConditionalWriteDriver } from '#testkit';
import { sessionMs, type BreakableSystem } from '../breakable-system.js';

/**
 * A fault that a spec causes while clients write, such as killing an app. `happen` resolves when the fault has ended.
 */
export interface Fault {
  name: string;
  happen(system: BreakableSystem, driver: ConditionalWriteDriver): Promise<void>;
}

const kill = async (...apps: AppProcess[]): Promise<void> => {
  await Promise.all(apps.map((app) => app.kill('SIGKILL')));
  await Promise.all(apps.map((app) => app.launch().ready()));
};

/** Freezes an app; the clients continue meanwhile. */
const freeze = async (app: AppProcess, ms: number): Promise<void> => {
  app.pause();
  await sleep(ms);
  app.resume();
};

const pastSession = sessionMs + 4_000;

/** Faults that delay the decisions on conditional writes: they stop materializers or what these need. */
export const faultsOfDecisions: readonly Fault[] = [
  { name: 'a materializer is killed', happen: ({ stack }) => kill(stack.materializers[0]!) },
  {
    name: 'a materializer is frozen past its session and resumes as a zombie',
    happen: ({ stack }) => freeze(stack.materializers[1]!, pastSession),
  },
  { name: 'all materializers are killed', happen: ({ stack }) => kill(...stack.materializers) },
  {
    name: 'a materializer is stopped, and another one takes over',
    happen: async ({ stack }, driver) => {
      const [, second] = stack.materializers;
      await second!.kill('SIGTERM');
      await driver.untilDecided(30);
      await second!.launch().ready();
    },
  },
  {
    name: 'the broker is killed',
    happen: async ({ engines }) => {
      await engines.killKafka();
      await sleep(1_000);
      await engines.startKafka();
    },
  },
  {
    name: 'the broker is frozen',
    happen: async ({ engines }) => {
      engines.pauseKafka();
      await sleep(pastSession);
      engines.resumeKafka();
    },
  },
  {
    name: 'ClickHouse is killed',
    happen: async ({ engines }) => {
      await engines.killClickHouse();
      await sleep(1_000);
      await engines.startClickHouse();
    },
  },
];

/** Faults of the other apps, which stop requests and processing but not the decisions on conditional writes. */
export const faultsOfService: readonly Fault[] = [
  { name: 'ingest is killed', happen: ({ stack }) => kill(stack.ingest) },
  { name: 'ingest is frozen', happen: ({ stack }) => freeze(stack.ingest, 4_000) },
  { name: 'the gateway is killed', happen: ({ stack }) => kill(stack.gateway) },
  { name: 'the gateway is frozen', happen: ({ stack }) => freeze(stack.gateway, 4_000) },
  {
    name: 'ingest and the gateway are restarted in order',
    happen: async ({ stack }) => {
      await stack.ingest.restart();
      await stack.gateway.restart();
    },
  },
  { name: 'a processor is killed', happen: ({ stack }) => kill(stack.processors[0]!) },
  {
    name: 'a processor is frozen past its session and resumes as a zombie',
    happen: ({ stack }) => freeze(stack.processors[1]!, pastSession),
  },
  {
    name: 'connections to Kafka are cut',
    happen: async ({ engines }, driver) => {
      for (let i = 0; i < 3; i++) {
        engines.kafkaProxy.cut();
        await driver.untilDecided(20);
      }
    },
  },
];
