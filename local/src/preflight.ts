import { access, constants, readdir, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AppConfig } from '#api';
import { kafkaLogOptions, openKafkaLog } from '#log';
import { isPortTaken } from './free-port.js';
import { privateFolder } from './private-folder.js';
import { neededPorts, quoted, type LocalSettings, type PortName } from './settings.js';

/** Of all brokers together. */
const brokerTimeoutMs = 8_000;

/**
 * Closes the data folder to other users.
 * @throws when it is not a folder, when this user may not write to it, or when it is a folder of others: one that they
 * may enter, with files that are not ours
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
      `The data folder ${folder} cannot be used: ${reason}. Set TRIBUTARY_DATA_DIR to a folder that you may write to; it is made where there is none.`,
      { cause: error },
    );
  }
}

/** What `npm start` puts into a data folder, at its top. */
const ownNames = /^(api-key|clickhouse|kafka|lock\.\d+(\..+)?|logs|processes\.json(\.draft)?)$/;

/** Closing a folder such as `/tmp` would lock its users out. */
async function refuseSharedFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  if (!found?.isDirectory() || (found.mode & 0o077) === 0) return;
  const foreign = (await readdir(folder)).find((name) => !ownNames.test(name));
  if (foreign !== undefined)
    throw new Error(`others may enter it, and it holds what is not ours (${JSON.stringify(foreign)})`);
}

const reasons: Partial<Record<string, string>> = {
  EEXIST: 'it is a file',
  ENOTDIR: 'a part of its path is a file',
  EACCES: 'it may not be written to, or a folder above it may not',
  EPERM: 'it belongs to another user, and others may read it',
  EROFS: 'its file system is read-only',
  ENOSPC: 'its file system is full',
};

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
      `  ${command({ ...settings.given, ...(await otherPorts(taken, settings)) })}`,
    ].join('\n'),
  );
}

/** A command that starts a second system beside the one that has these settings: another folder, other ports. */
export async function commandBeside(settings: LocalSettings): Promise<string> {
  const ports = await otherPorts(neededPorts(settings), settings);
  const folder = quoted(`${settings.dataDir}-2`);
  return command({ ...settings.given, TRIBUTARY_DATA_DIR: folder, ...ports });
}

/** What was given has to be given again: whoever pastes this may not have set it for longer than one command. */
function command(variables: Record<string, string>): string {
  const assignments = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  return [...assignments, 'npm start'].join(' ');
}

/** Far from the ports they replace, as whole sets of services are often side by side. */
async function otherPorts(
  taken: [PortName, number][],
  settings: LocalSettings,
): Promise<Record<string, string>> {
  const used = new Set(Object.values(settings.ports));
  const chosen: Record<string, string> = {};
  for (const [name, port] of taken) {
    let other = port < 50_000 ? port + 10_000 : port - 10_000;
    while (used.has(other) || (await isTaken(name, other, settings))) other++;
    used.add(other);
    chosen[name] = String(other);
  }
  return chosen;
}

async function takenPorts(settings: LocalSettings): Promise<[PortName, number][]> {
  const needed = neededPorts(settings);
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

/** @throws when none of the brokers answers as Kafka does, with the settings that the apps will use. */
export async function checkBrokers(config: AppConfig): Promise<void> {
  const bounds = { connectionTimeoutMs: 3_000, requestTimeoutMs: brokerTimeoutMs };
  const log = openKafkaLog({ ...kafkaLogOptions(config, 'npm-start'), bounds });
  const givenUp = new AbortController();
  const late = sleep(brokerTimeoutMs, undefined, { signal: givenUp.signal }).then(() => {
    throw new Error(`no answer within ${brokerTimeoutMs / 1000} s`);
  });
  try {
    await Promise.race([log.admin.ping(), late]);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `No Kafka broker answers at KAFKA_BROKERS=${config.KAFKA_BROKERS.join(',')} (${reason}). Is Kafka running there, and is this its port for clients? Without KAFKA_BROKERS, the embedded one is started.`,
      { cause: error },
    );
  } finally {
    late.catch(() => undefined);
    givenUp.abort();
    await log.close();
  }
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
