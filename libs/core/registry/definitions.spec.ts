import { pipelineKind } from '#features/pipelines/definition';
import { projectionKind } from '#features/projections/definition';
import { subscriptionKind } from '#features/subscriptions/definition';
import { describe, expect, it } from 'vitest';
import { auditStream } from '#api';
import { decodeRecord, TopicAndGroupNames } from '#event';
import { LogUnavailableError, type ProducerRecord, type Producer } from '#kafka';
import { MemoryLog } from '#kafka/memory';
import { ada, aKey } from './contract/definition-examples.js';
import { describeDefinitionsContract } from './definitions.contract.js';
import type { Definitions } from './definitions.js';
import { resourceKinds } from './resource-kinds.js';
import { openDefinitions } from './definitions.js';

describeDefinitionsContract('MemoryLog', {
  open: () => new MemoryLog(),
  cleanedSoon: {},
  compact: (log, topic) => (log as MemoryLog).topics.get(topic)?.compact(),
});

const names = new TopicAndGroupNames('t.');
const isAuditTopic = (topic?: string) => topic?.startsWith(names.ofStream(`${auditStream}#`)) ?? false;
/** Returns the topic of the only stream with this name. */
const topicOf = (log: MemoryLog, stream: string) =>
  [...log.topics].find(([topic]) => topic.startsWith(names.ofStream(`${stream}#`)))?.[1];

/** A log whose producers call `before` ahead of each append. */
class InterruptedLog extends MemoryLog {
  before: (records: readonly ProducerRecord[]) => Promise<void> = () => Promise.resolve();

  override async producer(): Promise<Producer> {
    const producer = await super.producer();
    const append = producer.append.bind(producer);
    producer.append = async (records) => {
      await this.before(records);
      return append(records);
    };
    return producer;
  }
}

async function started(log: MemoryLog): Promise<Definitions> {
  const definitions = openDefinitions({
    log,
    names,
    defaults: { partitions: 1 },
    kinds: [...resourceKinds, projectionKind, pipelineKind, subscriptionKind],
  });
  await definitions.start();
  return definitions;
}

function audited(log: MemoryLog) {
  const records = topicOf(log, auditStream)?.partitions[0]?.records ?? [];
  return records.map(({ value }) => decodeRecord(String(value)));
}

describe('definitions while the log is down', () => {
  it('reject the creation of a stream with log_unavailable', async () => {
    const log = new MemoryLog();
    const definitions = await started(log);
    log.down = true;
    const creation = definitions.createStream({ stream: 'a' }, ada);
    await expect(creation).rejects.toMatchObject({ code: 'log_unavailable' });
    log.down = false;
    expect((await definitions.createStream({ stream: 'a' }, ada)).created).toBe(true);
    await definitions.close();
  });

  it('reject a change as one with an unknown result', async () => {
    const log = new MemoryLog();
    const definitions = await started(log);
    log.down = true;
    const change = definitions.keys.change('k1', () => aKey('k1'), ada);
    await expect(change).rejects.toMatchObject({
      code: 'log_unavailable',
      message: expect.stringContaining('unknown whether the change is in effect') as string,
    });
    await definitions.close();
  });
});

describe('a change that always loses against concurrent changes', () => {
  it('fails after the last attempt, with nothing changed and no records left', async () => {
    const log = new InterruptedLog();
    const definitions = await started(log);
    const other = await started(log);
    await other.keys.change('k1', () => aKey('k1', { name: '0' }), ada);
    let quicker = 0;
    let busy = false;
    log.before = async ([record]) => {
      if (busy || record?.topic !== names.definitions || record.value === null) return;
      busy = true;
      await other.keys.change('k1', () => aKey('k1', { name: String(++quicker) }), ada);
      busy = false;
    };
    const change = definitions.keys.change('k1', () => aKey('k1', { name: 'mine' }), ada);
    await expect(change).rejects.toMatchObject({ code: 'definition_conflict' });
    expect(quicker).toBe(20);
    await expect.poll(() => definitions.keys.get('k1')?.name).toBe('20');
    log.topics.get(names.definitions)?.compact();
    const records = log.topics.get(names.definitions)?.partitions[0]?.records ?? [];
    expect(records.filter(({ key }) => String(key).startsWith('key:'))).toHaveLength(1);
    expect(audited(log).filter(({ entity_id }) => entity_id === 'key:k1')).toHaveLength(21);
    await Promise.all([definitions.close(), other.close()]);
  });
});

describe('a change whose audit event cannot be written', () => {
  it('is in effect and rejects with log_unavailable; the next audit event names its actor', async () => {
    const log = new InterruptedLog();
    const definitions = await started(log);
    await definitions.createStream({ stream: 'orders' }, ada);
    log.before = async ([record]) => {
      if (isAuditTopic(record?.topic)) throw new LogUnavailableError('gone');
    };
    const change = definitions.keys.change('k1', () => aKey('k1'), ada);
    await expect(change).rejects.toMatchObject({
      code: 'log_unavailable',
      message: expect.stringContaining(
        'The change is in effect, but it is missing from the audit stream',
      ) as string,
    });
    expect(definitions.keys.get('k1')).toEqual(aKey('k1'));
    log.before = () => Promise.resolve();
    await definitions.keys.change('k1', () => undefined, { ...ada, key_id: 'bob' });
    const [event] = audited(log).slice(-1);
    expect(event?.event_type).toBe('key.removed');
    expect(JSON.parse(event?.data ?? '')).toMatchObject({ previous: { revision: 1, changed_by: ada } });
    await definitions.close();
  });

  it('is retried with the same event id', async () => {
    const log = new InterruptedLog();
    const definitions = await started(log);
    await definitions.createStream({ stream: 'orders' }, ada);
    const tried: string[] = [];
    log.before = async ([record]) => {
      if (!isAuditTopic(record?.topic)) return;
      tried.push(decodeRecord(record?.value ?? '').event_id);
      if (tried.length < 3) throw new LogUnavailableError('for a moment');
    };
    await definitions.keys.change('k1', () => aKey('k1'), ada);
    expect(tried).toHaveLength(3);
    expect(new Set(tried).size).toBe(1);
    await definitions.close();
  });
});

describe('a definition that was removed', () => {
  it('is deleted from the topic a day later, so that short-lived names do not fill it', async () => {
    let hours = 0;
    const log = new MemoryLog({ now: () => Date.now() - (30 - hours) * 3_600_000 });
    const definitions = await started(log);
    for (const name of ['a', 'b', 'c']) {
      await definitions.keys.change(name, () => aKey(name), ada);
      await definitions.keys.change(name, () => undefined, ada);
    }
    hours = 30;
    await definitions.keys.change('kept', () => aKey('kept'), ada);
    const topic = log.topics.get(names.definitions);
    topic?.compact();
    const keys = topic?.partitions[0]?.records.map(({ key }) => String(key)) ?? [];
    expect(keys.filter((key) => key.startsWith('key:'))).toEqual([expect.stringMatching(/^key:kept:/)]);
    expect((await definitions.keys.change('a', () => aKey('a'), ada)).changed).toBe(true);
    await definitions.close();
  });
});

describe('the retention of a stream', () => {
  it("is part of its topic's settings, and is removed from them when it is unlimited", async () => {
    const log = new MemoryLog();
    const definitions = await started(log);
    await definitions.createStream({ stream: 'orders', partitions: 4 }, ada);
    const topic = topicOf(log, 'orders');
    const made = topic?.config;
    const retention = { time: '8h', bytes: 4_000_000_000 };
    await definitions.changeStream('orders', (current) => ({ ...current, retention }), ada);
    expect(topic?.config).toEqual({
      ...made,
      'retention.ms': '28800000',
      'segment.ms': '7200000',
      'retention.bytes': '1000000000',
      'segment.bytes': '250000000',
    });
    await definitions.changeStream('orders', (current) => ({ ...current, retention: 'unlimited' }), ada);
    expect(topic?.config).toEqual(made);
    await definitions.close();
  });

  it('is applied to the topic by a repeated request after a failed one', async () => {
    const log = new MemoryLog();
    const definitions = await started(log);
    await definitions.createStream({ stream: 'orders' }, ada);
    const configure = log.admin.configure.bind(log.admin);
    log.admin.configure = () => Promise.reject(new LogUnavailableError('gone'));
    const change = () =>
      definitions.changeStream('orders', (current) => ({ ...current, retention: { time: '1d' } }), ada);
    await expect(change()).rejects.toMatchObject({ code: 'log_unavailable' });
    log.admin.configure = configure;
    await change();
    expect(topicOf(log, 'orders')?.config).toMatchObject({ 'retention.ms': '86400000' });
    await definitions.close();
  });

  it('is the same in the definition and in the topic after two concurrent changes', async () => {
    const log = new MemoryLog();
    const [one, two] = [await started(log), await started(log)];
    await one.createStream({ stream: 'orders' }, ada);
    await expect.poll(() => two.stream('orders')).toBeDefined();
    const configure = log.admin.configure.bind(log.admin);
    let slow = true;
    log.admin.configure = async (topic, config) => {
      if (slow) {
        slow = false;
        await two.changeStream('orders', (current) => ({ ...current, retention: { time: '2d' } }), ada);
      }
      await configure(topic, config);
    };
    await one.changeStream('orders', (current) => ({ ...current, retention: { time: '1d' } }), ada);
    expect(one.stream('orders')?.retention).toEqual({ time: '2d' });
    expect(topicOf(log, 'orders')?.config).toMatchObject({ 'retention.ms': '172800000' });
    await Promise.all([one.close(), two.close()]);
  });
});
