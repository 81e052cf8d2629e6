import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { isPortTaken } from './free-port.js';
import type { LocalSettings, PortName } from './settings.js';

/**
 * A port that is in use is looked at again for a few seconds: what was just stopped may still be letting it go.
 * @throws naming each port that stays in use, with one command that chooses others, which are free.
 */
export async function checkPorts(settings: LocalSettings, patienceMs = 3_000): Promise<void> {
  const deadline = Date.now() + patienceMs;
  let taken = await takenPorts(settings);
  while (taken.length > 0 && Date.now() < deadline) {
    await sleep(200);
    taken = await takenPorts(settings);
  }
  if (taken.length === 0) return;
  const lines = taken.map(([name, port]) => `  ${port} (${name})`);
  throw new Error(
    [
      'These ports are in use, perhaps by another `npm start`:',
      ...lines,
      'Stop what uses them, or choose others:',
      `  ${await otherPorts(taken, settings)} npm start`,
    ].join('\n'),
  );
}

/** As a shell sets variables. Far from the ports they replace, as whole sets of services are often side by side. */
async function otherPorts(taken: [PortName, number][], settings: LocalSettings): Promise<string> {
  const used = new Set(Object.values(settings.ports));
  const chosen: string[] = [];
  for (const [name, port] of taken) {
    let other = port < 50_000 ? port + 10_000 : port - 10_000;
    while (used.has(other) || (await isTaken(name, other, settings))) other++;
    used.add(other);
    chosen.push(`${name}=${other}`);
  }
  return chosen.join(' ');
}

async function takenPorts(settings: LocalSettings): Promise<[PortName, number][]> {
  const needed = (Object.entries(settings.ports) as [PortName, number][]).filter(
    ([name]) =>
      !(name === 'KAFKA_PORT' && settings.brokers) && !(name === 'CLICKHOUSE_PORT' && settings.clickhouseUrl),
  );
  const taken = await Promise.all(needed.map(([name, port]) => isTaken(name, port, settings)));
  return needed.filter((_, i) => taken[i]);
}

/** The embedded engines listen on the loopback address, whatever HOST is. */
function isTaken(name: PortName, port: number, { host }: LocalSettings): Promise<boolean> {
  const isOfEngine = name === 'KAFKA_PORT' || name === 'CLICKHOUSE_PORT';
  return isOfEngine ? isPortTaken(port) : isAppPortTaken(port, host);
}

async function isAppPortTaken(port: number, host: string): Promise<boolean> {
  try {
    return await isPortTaken(port, host);
  } catch (error) {
    throw new Error(`HOST is ${JSON.stringify(host)}, but should be an address of this machine`, {
      cause: error,
    });
  }
}

/** @throws when none of the brokers can be reached. */
export async function checkBrokers(brokers: string): Promise<void> {
  const reached = await Promise.all(brokers.split(',').map((broker) => canConnect(broker.trim())));
  if (reached.some(Boolean)) return;
  throw new Error(
    `No Kafka broker answers at KAFKA_BROKERS=${brokers}. Is it running, and is the address right? Without KAFKA_BROKERS, the embedded one is started.`,
  );
}

/** @throws when nothing there answers as ClickHouse does. */
export async function checkClickHouse(url: string): Promise<void> {
  const answer = await fetch(new URL('/ping', url), { signal: AbortSignal.timeout(5_000) }).catch(
    () => undefined,
  );
  if (answer?.ok && (await answer.text()).startsWith('Ok')) return;
  throw new Error(
    `No ClickHouse answers at CLICKHOUSE_URL=${new URL(url).origin}. Is it running, and is this its HTTP address? Without CLICKHOUSE_URL, the embedded one is started.`,
  );
}

function canConnect(broker: string): Promise<boolean> {
  const [host, port] = [broker.slice(0, broker.lastIndexOf(':')), Number(broker.split(':').pop())];
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 5_000 });
    const settle = (reached: boolean): void => {
      socket.destroy();
      resolve(reached);
    };
    socket.once('connect', () => settle(true));
    socket.once('timeout', () => settle(false));
    socket.once('error', () => settle(false));
  });
}
