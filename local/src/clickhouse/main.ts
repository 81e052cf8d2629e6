import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedClickHouse } from './engine.js';
import { OverrunWatch } from './overrun-watch.js';
import { createClickHouseServer } from './server.js';

/**
 * Runs the embedded ClickHouse as a process of its own: `main.js <data folder> <port>`. Prints `ready <port>` when it
 * accepts clients with CLICKHOUSE_PASSWORD. SIGTERM waits for running statements and then closes the engine. SIGKILL
 * is safe, because the engine's files survive a crash.
 */
const [dataDir, port = '0'] = process.argv.slice(2);
if (!dataDir) throw new Error('Usage: main.js <data folder> [<port>]');

const { CLICKHOUSE_PASSWORD: password } = process.env;
if (!password) throw new Error('CLICKHOUSE_PASSWORD is not set');

const engine = await EmbeddedClickHouse.open({
  dataDir,
  maxMemoryBytes: Number(process.env.CLICKHOUSE_MEMORY_BYTES ?? 4 * 2 ** 30),
  selectLanes: Math.max(4, availableParallelism()),
  insertLanes: 2,
  // Statements of analysts that cannot be cancelled keep their connections.
  analystLanes: 4,
  overruns: new OverrunWatch({
    graceSeconds: Number(process.env.CLICKHOUSE_OVERRUN_SECONDS ?? 60),
    pid: process.pid,
  }),
});
const server = createClickHouseServer(engine, password);
server.listen(Number(port), '127.0.0.1', () => {
  const address = server.address();
  console.log(`ready ${typeof address === 'object' && address ? address.port : port}`);
});
server.once('error', (error) => {
  console.error(error.message);
  process.exit(1);
});

let stopping = false;
async function stop(): Promise<void> {
  if (stopping) return;
  stopping = true;
  server.close();
  server.closeIdleConnections();
  const deadline = Date.now() + 20_000;
  while (engine.busy > 0 && Date.now() < deadline) await sleep(20);
  // Closing a connection while a statement runs is unsafe; ending the process is safe.
  if (engine.busy === 0) engine.close();
  process.exit(0);
}
process.once('SIGTERM', () => void stop());
process.once('SIGINT', () => void stop());
