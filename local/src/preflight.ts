import { access, constants, readdir, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { kafkaLogOptions, type AppConfig } from '#api';
import { within } from '#async';
import { openKafkaLog } from '#kafka';
import { isPortTaken } from './engine/free-port.js';
import { privateFolder } from './engine/private-files.js';
import { listeningPorts, portNames, shellQuoted } from './settings.js';
import type { LocalSettings, PortVariableName } from './settings.js';

/** Milliseconds within which one of the brokers must answer. */
const brokerTimeoutMs = 8_000;

/**
 * Closes the data folder to other users.
 * @throws if it is not a folder, if this user may not write to it, or if it is shared: other users may enter it, and
 * it contains files that `npm start` does not create
 */
export async function checkFolder(folder: string): Promise<void> {
  try {
    await refuseSharedFolder(folder);
    await privateFolder(folder);
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = (code && reasons[code]) ?? message;
    throw new Error(
      `The data folder ${folder} cannot be used: ${reason}. Set TRIBUTARY_DATA_DIR to a folder that you may write to; it is created if it does not exist.`,
      { cause: error },
    );
  }
}

/** The files and folders at the top of a data folder that `npm start` creates. */
const ownNames = /^(api-key|clickhouse|kafka|lock\.\d+(\..+)?|logs|processes\.json(\.draft)?)$/;

/** Refuses a shared folder such as `/tmp`: closing it would lock out its users. */
async function refuseSharedFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  if (!found?.isDirectory() || (found.mode & 0o077) === 0) return;
  const foreign = (await readdir(folder)).find((name) => !ownNames.test(name));
  if (foreign !== undefined)
    throw new Error(`other users may enter it, and it contains other files (${JSON.stringify(foreign)})`);
}

const reasons: Partial<Record<string, string>> = {
  EEXIST: 'it is a file',
  ENOTDIR: 'a part of its path is a file',
  EACCES: 'you may not write to it, or not enter a folder above it',
  EPERM: 'it belongs to another user, and other users may read it',
  EROFS: 'its file system is read-only',
  ENOSPC: 'its file system is full',
};

/**
 * Checks that the ports are free. A port in use is checked again for a few seconds, because a process that was just
 * stopped may not have released it yet.
 * @throws an Error that names each port in use, with one command that chooses free ports instead.
 */
export async function checkPorts(settings: LocalSettings, patienceMs = 3_000): Promise<void> {
  const deadline = Date.now() + patienceMs;
  let taken = await takenPorts(settings);
  while (taken.length > 0 && Date.now() < deadline) {
    await sleep(200);
    taken = await takenPorts(settings);
  }
  if (taken.length === 0) return;
  const lines = [
    'These ports are in use, perhaps by another `npm start`:',
    ...taken.map(([name, port]) => `  ${port} (${name})`),
    'Stop what uses them, or choose others:',
    `  ${command({ ...settings.given, ...(await otherPorts(taken, settings)) })}`,
  ];
  throw new Error(lines.join('\n'));
}

/**
 * Returns a command that starts a second system beside the one with these settings: with another folder and other
 * ports.
 */
export async function commandBeside(settings: LocalSettings): Promise<string> {
  const ports = await otherPorts(listeningPorts(settings), settings);
  const folder = shellQuoted(`${settings.dataDir}-2`);
  return command({ ...settings.given, TRIBUTARY_DATA_DIR: folder, ...ports });
}

/**
 * Returns the command with all variables that are set: the user who pastes it may have set them for one command only.
 */
function command(variables: Record<string, string>): string {
  const assignments = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  return [...assignments, 'npm start'].join(' ');
}

/**
 * Chooses a free port for each port in use: the port 10 000 above it (below it from 50 000 on), or the next free one
 * after that. The ports beside a port in use are often in use too, because a set of services takes adjacent ports.
 */
async function otherPorts(
  taken: [PortVariableName, number][],
  settings: LocalSettings,
): Promise<Record<string, string>> {
  const used = new Set(portNames.map((name) => settings.ports[name]));
  const chosen: Record<string, string> = {};
  for (const [name, port] of taken) {
    let other = port < 50_000 ? port + 10_000 : port - 10_000;
    while (used.has(other) || (await isTaken(name, other, settings))) other++;
    used.add(other);
    chosen[name] = String(other);
  }
  return chosen;
}

async function takenPorts(settings: LocalSettings): Promise<[PortVariableName, number][]> {
  const needed = listeningPorts(settings);
  const taken = await Promise.all(needed.map(([name, port]) => isTaken(name, port, settings)));
  return needed.filter((_, i) => taken[i]);
}

/** Whether the port is in use. The embedded engines listen on the loopback address, whatever HOST is. */
async function isTaken(name: PortVariableName, port: number, { host }: LocalSettings): Promise<boolean> {
  if (/^(KAFKA|CLICKHOUSE)_/.test(name)) return isPortTaken(port);
  return isPortTaken(port, host).catch((cause: unknown) => {
    const problem = `HOST is ${JSON.stringify(host)}, but should be an address of this machine`;
    throw new Error(problem, { cause });
  });
}

/** Checks that a broker answers with the settings of the apps. @throws if none answers like Kafka. */
export async function checkBrokers(config: AppConfig): Promise<void> {
  const bounds = { connectionTimeoutMs: 3_000, requestTimeoutMs: brokerTimeoutMs };
  const log = openKafkaLog({ ...kafkaLogOptions(config, 'npm-start'), bounds });
  const late = () => {
    throw new Error(`no answer within ${brokerTimeoutMs / 1000} s`);
  };
  try {
    await within(brokerTimeoutMs, log.admin.ping(), late);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `No Kafka broker answers at KAFKA_BROKERS=${config.KAFKA_BROKERS.join(',')} (${reason}). Is Kafka running there, and is this its port for clients? Without KAFKA_BROKERS, the embedded Kafka is started.`,
      { cause: error },
    );
  } finally {
    await log.close();
  }
}

/** Checks that ClickHouse answers at the URL. @throws if no server answers like ClickHouse. */
export async function checkClickHouse(url: string): Promise<void> {
  const answer = await fetch(new URL('/ping', url), { signal: AbortSignal.timeout(5_000) }).catch(
    () => undefined,
  );
  if (answer?.ok && (await answer.text()).startsWith('Ok')) return;
  throw new Error(
    `No ClickHouse answers at CLICKHOUSE_URL=${new URL(url).origin}. Is it running, and is this its HTTP address? Without CLICKHOUSE_URL, the embedded ClickHouse is started.`,
  );
}
