import { pipelineKind } from '#features/pipelines/definition';
import { projectionKind } from '#features/projections/definition';
import { subscriptionKind } from '#features/subscriptions/definition';
import { randomUUID } from 'node:crypto';
import { auditStream, isReservedStream } from '#api';
import { decodeRecord, TopicAndGroupNames, type EventRecord } from '#event';
import type { Log, ConsumerRecord, Producer } from '#kafka';
import type { Definitions } from '../definitions.js';
import { resourceKinds } from '../resource-kinds.js';
import { openDefinitions, type DefinitionsOptions } from '../definitions.js';
import type { StreamDefinition } from '../streams/stream-definition.js';

/** The log implementation that the contract is tested on. */
export interface TestLogFactory {
  open(): Log;
  /** Settings of a definitions topic that is compacted soon. */
  cleanedSoon: Record<string, string>;
  /** Compacts the topic, if the log does not do that by itself. */
  compact?(log: Log, topic: string): void;
}

/** Starts processes with definitions on one log. Each installation has topics of its own. */
export class DefinitionsTestProcesses {
  log: Log;
  producer: Producer;
  private readonly prefixes: string[] = [];
  private readonly opened: Definitions[] = [];

  constructor(readonly options: TestLogFactory) {}

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

  /** Returns the topic names of a new installation. */
  names(): TopicAndGroupNames {
    const names = new TopicAndGroupNames(`def.${randomUUID().slice(0, 8)}.`);
    this.prefixes.push(names.prefix);
    return names;
  }

  /** Returns the definitions of a started process. */
  async started(names: TopicAndGroupNames, options: Partial<DefinitionsOptions> = {}): Promise<Definitions> {
    const definitions = openDefinitions({
      log: this.log,
      names,
      defaults: { partitions: 2 },
      kinds: [...resourceKinds, projectionKind, pipelineKind, subscriptionKind],
      ...options,
    });
    this.opened.push(definitions);
    await definitions.start();
    return definitions;
  }

  /** Returns the definitions of two started processes of one installation. */
  async two(names = this.names()): Promise<[Definitions, Definitions]> {
    return [await this.started(names), await this.started(names)];
  }

  /** Returns the records of a topic's first partition. */
  async read(topic: string): Promise<ConsumerRecord[]> {
    const records: ConsumerRecord[] = [];
    const reader = this.log.tableReader(topic, { record: (record) => void records.push(record) });
    await reader.start();
    await reader.close();
    return records;
  }

  /** Returns the topic of the stream that has this name now. If there is no such stream, the topic does not exist. */
  async topicOf(names: TopicAndGroupNames, stream: string): Promise<string> {
    const id = (await this.started(names)).stream(stream)?.id;
    return names.ofStream(id ?? `${stream}#0`);
  }

  /** Returns the events of the audit stream, in order. */
  async audited(names: TopicAndGroupNames): Promise<EventRecord[]> {
    const records = await this.read(await this.topicOf(names, auditStream));
    return records.map(({ value }) => decodeRecord(String(value)));
  }

  /** Appends a raw record to the definitions topic. */
  announce(names: TopicAndGroupNames, key: string, value: string | null): Promise<unknown> {
    return this.producer.append([{ topic: names.definitions, key, value }]);
  }
}

/** Returns the streams, without the system's own. */
export function streamsOf(definitions: Definitions): StreamDefinition[] {
  return definitions.streams().filter(({ stream }) => !isReservedStream(stream));
}
