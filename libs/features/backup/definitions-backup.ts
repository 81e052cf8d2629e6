import { setTimeout as sleep } from 'node:timers/promises';
import { within } from '#async';
import type { TopicAndGroupNames } from '#event';
import { jsonValue } from '#json';
import { LogUnavailableError, UnknownTopicError, type Log } from '#kafka';
import { definitionsTopic, readKey, readRecord } from '#registry';

/**
 * The import of a backup was rejected: the file is incomplete, empty or not a backup of definitions, or the definitions
 * topic is not empty. Or an export was rejected, because the topic is empty. Nothing was written.
 */
export class DefinitionsBackupError extends Error {
  override readonly name = 'DefinitionsBackupError';
}

/**
 * The first line of a backup, which consists of lines of JSON: `{"tributary_definitions":1,"records":2}`, with the
 * version of the format and the number of records. Each further line is a record of the definitions topic with its key
 * and value as plain texts: `{"key":"…","value":"…"}`. The records are in offset order, because that order decides which
 * change came first. Records with a tombstone are left out.
 */
interface Header {
  tributary_definitions: 1;
  records: number;
}

/** The most records in one append to the log. */
const recordsAtOnce = 500;

/** Longest time in milliseconds that one reading of the topic, or its deletion, may take. */
const patienceMs = 60_000;
const removalPollMs = 100;

/**
 * Returns the lines of a backup of the definitions topic. The lines contain hashes of the secrets of API keys. A record
 * that no process can read is left out, because an import would reject it: `onUnreadable` gets its key and the reason.
 * @throws LogUnavailableError
 * @throws UnknownTopicError if there is no definitions topic
 * @throws DefinitionsBackupError if the topic has no records: it was perhaps lost, and no backup may be replaced by it
 */
export async function exportDefinitions(
  log: Log,
  { definitions: topic }: TopicAndGroupNames,
  onUnreadable: (key: string, reason: string) => void = () => undefined,
): Promise<string[]> {
  const records = await recordsOf(log, topic);
  for (const [key, value] of records) {
    const error = recordError(key, value);
    if (error && records.delete(key)) onUnreadable(key, error.message);
  }
  if (records.size === 0)
    throw new DefinitionsBackupError(
      `${topic} has no records, so there is nothing to back up. Was the topic lost and created again? Then restore the last backup.`,
    );
  const header: Header = { tributary_definitions: 1, records: records.size };
  const lines = Array.from(records, ([key, value]) => ({ key, value }));
  return [header, ...lines].map((line) => JSON.stringify(line));
}

/**
 * Writes a backup into the definitions topic, which must be empty and is created if it is missing. With `replace`, an
 * existing topic is deleted first, but not for a backup without records. No other process of the installation should run
 * meanwhile. Resolves with the number of written records.
 * @throws DefinitionsBackupError
 * @throws LogUnavailableError, perhaps after a part of the records was written: repeat the import with `replace`
 */
export async function importDefinitions(
  log: Log,
  { definitions: topic }: TopicAndGroupNames,
  { lines, replace = false }: { lines: readonly string[]; replace?: boolean },
): Promise<number> {
  const records = readLines(lines).map((record) => ({ topic, ...record }));
  if (replace && records.length === 0)
    throw new DefinitionsBackupError(
      `The file has 0 records: with --replace it would delete all definitions. Import another file. To begin without definitions, delete the topic ${topic} with a tool of Kafka.`,
    );
  if (replace) await removeTopic(log, topic);
  await log.admin.create(topic, definitionsTopic);
  const existing = (await recordsOf(log, topic)).size;
  if (existing > 0)
    throw new DefinitionsBackupError(
      `${topic} already contains ${existing} records: a backup is imported into an empty topic, or with --replace.`,
    );
  const producer = await log.producer();
  try {
    for (let from = 0; from < records.length; from += recordsAtOnce)
      await producer.append(records.slice(from, from + recordsAtOnce));
  } finally {
    await producer.close();
  }
  return records.length;
}

/** Deletes the topic, if it exists, and resolves when brokers no longer have it. */
async function removeTopic(log: Log, topic: string): Promise<void> {
  await log.admin.remove(topic);
  const deadline = performance.now() + patienceMs;
  while ((await log.admin.partitions(topic)) !== undefined) {
    if (performance.now() > deadline) throw new LogUnavailableError(`Kafka does not delete ${topic}`);
    await sleep(removalPollMs);
  }
}

/**
 * Returns the values of the topic's records by key, as a complete compaction would leave them, in offset order. A
 * reader waits for ever for a topic or a broker, so this function does not.
 */
async function recordsOf(log: Log, topic: string): Promise<Map<string, string>> {
  if ((await log.admin.partitions(topic)) === undefined) throw new UnknownTopicError(topic);
  const records = new Map<string, string>();
  const reader = log.tableReader(topic, {
    record: ({ key, value }) => {
      const text = key?.toString() ?? '';
      records.delete(text);
      if (value !== null) records.set(text, value.toString());
    },
  });
  try {
    await within(patienceMs, reader.start(), () => {
      throw new LogUnavailableError(`${topic} could not be read within ${patienceMs / 1000} s`);
    });
  } finally {
    await reader.close();
  }
  return records;
}

function readLines(lines: readonly string[]): { key: string; value: string }[] {
  const [header, ...rest] = lines.map(readLine) as [Partial<Header>?, ...{ key: string; value: string }[]];
  const version: unknown = header?.tributary_definitions;
  if (typeof version === 'number' && version !== 1)
    throw new DefinitionsBackupError(
      `The file has format ${version}, but this version of Tributary reads format 1: import it with the version that exported it.`,
    );
  if (!header || version !== 1)
    throw new DefinitionsBackupError('The first line is not the header of a backup of definitions.');
  if (header.records !== rest.length)
    throw new DefinitionsBackupError(
      `The file has ${rest.length} records instead of ${header.records}: it is incomplete.`,
    );
  for (const [i, { key, value }] of rest.entries()) {
    if (typeof key !== 'string' || typeof value !== 'string') throw wrongLine(i + 1);
    const error = recordError(key, value);
    if (error) throw wrongLine(i + 1, error);
  }
  return rest;
}

/** Returns why no process can read a record of the definitions topic; undefined if processes can read it. */
function recordError(key: string, value: string): Error | undefined {
  try {
    readRecord(readKey(Buffer.from(key)), Buffer.from(value));
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

function readLine(line: string, index: number): object {
  const value = jsonValue(line);
  if (typeof value === 'object' && value !== null) return value;
  throw wrongLine(index);
}

function wrongLine(index: number, cause?: Error): DefinitionsBackupError {
  const reason = cause ? ` (${cause.message})` : '';
  const detail = `Line ${index + 1} is not a record of definitions.${reason}`;
  return new DefinitionsBackupError(detail, { cause });
}
