import { randomUUID } from 'node:crypto';
import { auditStream, isReservedStream } from '#api';
import { decodeRecord, TopicNames, type EventRecord } from '#event';
import type { Log, LogRecord, Producer } from '#log';
import type { Definitions } from '../definitions.js';
import { openDefinitions, type DefinitionsOptions } from '../open-definitions.js';
import type { StreamDefinition } from '../streams/stream-definition.js';

/** The log that the contract is tried on. */
export interface LogUnderTest {
  open(): Log;
  /** Settings of a definitions topic that is cleaned soon. */
  cleanedSoon: Record<string, string>;
  /** Has the log compact the topic, if that has to be asked for. */
  compact?(log: Log, topic: string): void;
}

/** Processes with definitions on one log, each installation with topics of its own. */
export class DefinitionsUnderTest {
  log: Log;
  producer: Producer;
  private readonly prefixes: string[] = [];
  private readonly opened: Definitions[] = [];

  constructor(readonly options: LogUnderTest) {}

  async open(): Promise<void> {
    this.log = this.options.open();
    this.producer = await this.log.producer();
  }

  async close(): Promise<void> {
    for (const definitions of this.opened) await definitions.close();
    for (const prefix of this.prefixes) {
      for (const topic of await this.log.admin.list(prefix)) await this.log.admin.remove(topic);
    }
    await this.log.close();
  }

  /** Of an installation of its own. */
  names(): TopicNames {
    const names = new TopicNames(`def.${randomUUID().slice(0, 8)}.`);
    this.prefixes.push(names.prefix);
    return names;
  }

  /** A process that has started. */
  async started(names: TopicNames, options: Partial<DefinitionsOptions> = {}): Promise<Definitions> {
    const definitions = openDefinitions({ log: this.log, names, defaults: { partitions: 2 }, ...options });
    this.opened.push(definitions);
    await definitions.start();
    return definitions;
  }

  /** Two of them, of one installation. */
  async two(names = this.names()): Promise<[Definitions, Definitions]> {
    return [await this.started(names), await this.started(names)];
  }

  /** What stands in a topic's first partition. */
  async read(topic: string): Promise<LogRecord[]> {
    const records: LogRecord[] = [];
    const reader = this.log.tableReader(topic, { record: (record) => void records.push(record) });
    await reader.start();
    await reader.close();
    return records;
  }

  /** The topic of the stream that has this name now; of none, where there is no such stream. */
  async topicOf(names: TopicNames, stream: string): Promise<string> {
    const id = (await this.started(names)).stream(stream)?.id;
    return names.ofStream(id ?? `${stream}#0`);
  }

  /** What the audit has, in its order. */
  async audited(names: TopicNames): Promise<EventRecord[]> {
    const records = await this.read(await this.topicOf(names, auditStream));
    return records.map(({ value }) => decodeRecord(String(value)));
  }

  /** Appends to the definitions topic what is not written by any of ours. */
  announce(names: TopicNames, key: string, value: string | null): Promise<unknown> {
    return this.producer.append([{ topic: names.definitions, key, value }]);
  }
}

/** The streams, without the system's own. */
export function streamsOf(definitions: Definitions): StreamDefinition[] {
  return definitions.streams().filter(({ stream }) => !isReservedStream(stream));
}
