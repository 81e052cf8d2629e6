import type { TopicNames } from '#event';
import type { Log, NewRecord } from '#log';
import { readKey } from '../kind/definition-record.js';
import { definitionsTopic } from '../changes/topic-writer.js';

/** The file is not whole, or not one of ours; or there are definitions already. Nothing was written. */
export class DefinitionsFileError extends Error {
  override readonly name = 'DefinitionsFileError';
}

/**
 * A backup of the definitions is lines of JSON: first `{"tributary_definitions":1,"records":2}`, then the records that
 * the topic holds, in its order, each as `{"key":"…","value":"…"}`: which of two changes came first is part of it.
 */
interface Head {
  tributary_definitions: 1;
  records: number;
}

/** Records that are appended at once. */
const recordsAtOnce = 500;

/** The lines of a backup of what is in the topic now. It holds hashes of keys' secrets. @throws LogUnavailableError */
export async function exportDefinitions(log: Log, { definitions: topic }: TopicNames): Promise<string[]> {
  const records = await recordsOf(log, topic);
  const head: Head = { tributary_definitions: 1, records: records.size };
  return [head, ...[...records].map(([key, value]) => ({ key, value }))].map((line) => JSON.stringify(line));
}

/**
 * Makes the topic where there is none, and writes a backup into it. Nothing should run meanwhile. Resolves with how many
 * records were written.
 * @throws DefinitionsFileError @throws LogUnavailableError, with some of it written perhaps: remove the topic, and repeat
 */
export async function importDefinitions(
  log: Log,
  { definitions: topic }: TopicNames,
  lines: readonly string[],
): Promise<number> {
  const records = readLines(lines).map((record): NewRecord => ({ topic, ...record }));
  await log.admin.create(topic, definitionsTopic);
  const held = (await recordsOf(log, topic)).size;
  if (held > 0) {
    throw new DefinitionsFileError(
      `${topic} holds ${held} records already: a backup is read into an empty topic only.`,
    );
  }
  const producer = await log.producer();
  try {
    for (let from = 0; from < records.length; from += recordsAtOnce) {
      await producer.append(records.slice(from, from + recordsAtOnce));
    }
  } finally {
    await producer.close();
  }
  return records.length;
}

/** What compaction would leave, in the order of the log. */
async function recordsOf(log: Log, topic: string): Promise<Map<string, string>> {
  const records = new Map<string, string>();
  const reader = log.tableReader(topic, {
    record: ({ key, value }) => {
      const text = key?.toString() ?? '';
      records.delete(text);
      if (value !== null) records.set(text, value.toString());
    },
  });
  try {
    await reader.start();
  } finally {
    await reader.close();
  }
  return records;
}

function readLines(lines: readonly string[]): { key: string; value: string }[] {
  const [head, ...rest] = lines.map(parsed) as [Partial<Head>?, ...{ key: string; value: string }[]];
  if (head?.tributary_definitions !== 1) {
    throw new DefinitionsFileError('It does not begin as a backup of definitions does.');
  }
  if (head.records !== rest.length) {
    throw new DefinitionsFileError(
      `It has ${rest.length} records, and should have ${head.records}: it is not whole.`,
    );
  }
  for (const [i, { key, value }] of rest.entries()) {
    if (typeof key !== 'string' || typeof value !== 'string')
      throw new DefinitionsFileError(wrongLine(i + 1));
    try {
      readKey(Buffer.from(key));
    } catch (error) {
      throw new DefinitionsFileError(wrongLine(i + 1), { cause: error });
    }
  }
  return rest;
}

function parsed(line: string, index: number): unknown {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw new DefinitionsFileError(wrongLine(index), { cause: error });
  }
  if (typeof value === 'object' && value !== null) return value;
  throw new DefinitionsFileError(wrongLine(index));
}

function wrongLine(index: number): string {
  return `Line ${index + 1} is no record of definitions.`;
}
