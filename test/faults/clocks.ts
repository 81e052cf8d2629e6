import { topicOf } from '#testkit';
import { randomUUID } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { encodeRecord } from '#event';
import { freshStream, queryEvents, waitFor, writeEvent, type EventPage } from '../api.js';
import { putIntoTopic } from '../read-topic.js';
import { system } from './one-system.js';

const plant = pathToFileURL('dist/test/plant-clock.js').href;

describe('given wrong clocks', () => {
  it('when events are dated 1970, 2099 and a day ahead, queries find them at their time (fault 16)', async () => {
    const { stack, engines } = system();
    const stream = freshStream();
    const ahead = new Date(Date.now() + 86_400_000).toISOString();
    const times = [
      '2099-12-31T23:59:59.999999Z',
      '1970-01-01T00:00:00Z',
      ahead,
      '1900-01-01T00:00:00Z',
      '1969-12-31T23:59:59.5Z',
      '2026-01-01T00:00:00Z',
    ];
    const written = [];
    for (let n = 0; n < 60; n++)
      written.push(
        await writeEvent(stack.write, {
          stream,
          event_type: 't',
          entity_id: 'e',
          timestamp: times[n % 6],
          data: { n },
        }),
      );
    const { events } = await queryEvents(stack.core, { stream, limit: '100' }, waitFor(written));
    expect(events).toHaveLength(60);
    expect(events[0]?.timestamp).toBe('1900-01-01T00:00:00.000000Z');
    expect(events.at(-1)?.timestamp).toBe('2099-12-31T23:59:59.999999Z');
    const versions = [...events].sort((a, b) => a.offset - b.offset).map(({ version }) => version);
    expect(versions).toEqual(versions.map((_, i) => i + 1));
    const before1970 = await queryEvents(stack.core, { stream, until: '1970-01-01T00:00:00Z' });
    expect(before1970.count).toBe(20);
    const later = await queryEvents(stack.core, { stream, since: '2099-01-01T00:00:00Z' });
    expect(later.count).toBe(10);
    // Each table partition is a folder with merges of its own: partitions follow the time of ingestion, not this
    // time.
    const sql = `SELECT max(n) FROM (SELECT uniqExact(partition) AS n FROM system.parts WHERE database = '${stack.database}' AND active GROUP BY table)`;
    expect(Number(await engines.sql(sql))).toBeLessThanOrEqual(2);
  });

  it('when the clock of a running ingest steps back, its timestamps do not, and a repeated event is stored once (fault 16)', async () => {
    const { stack } = system();
    const { ingest } = stack;
    const [stream, NODE_OPTIONS] = [freshStream(), `--import=${plant}`];
    const ids = Array.from({ length: 6 }, () => randomUUID());
    const write = (n: number) =>
      writeEvent(stack.write, { stream, event_id: ids[n], event_type: 't', entity_id: 'e', data: { n } });
    const restart = async (env: Record<string, string> = {}) => {
      await ingest.kill('SIGTERM');
      await ingest.launch(env).ready();
    };
    await restart({ NODE_OPTIONS });
    for (const n of [0, 1]) await write(n);
    process.kill(ingest.pid, 'SIGUSR2');
    await expect.poll(() => ingest.log()).toContain('the wall clock has stepped back');
    for (const n of [1, 2, 0, 3]) await write(n);
    const before = await queryEvents(stack.core, { stream }, waitFor([await write(3)]));
    // A new process knows only the current clock: an hour behind the timestamps of the previous process.
    await restart({ NODE_OPTIONS, CLOCK_BACK_MS: '3600000' });
    for (const n of [4, 0, 3]) await write(n);
    const after = await queryEvents(stack.core, { stream }, waitFor([await write(5)]));
    await restart();

    const inLog = (page: EventPage) => [...page.events].sort((a, b) => a.offset - b.offset);
    expect(inLog(after).map(({ data, version }) => [data.n, version])).toEqual(ids.map((_, n) => [n, n + 1]));
    const times = inLog(before).map(({ ingested_at }) => ingested_at);
    expect(times).toEqual([...times].sort());
    expect(inLog(after)[4]!.ingested_at < times[0]!).toBe(true);
  });

  it('when timestamps of records step back, a repeated event is stored once (fault 16)', async () => {
    const { stack } = system();
    const stream = freshStream();
    const first = await writeEvent(stack.write, { stream, event_type: 't', entity_id: 'e', data: { n: 0 } });
    const now = Date.now();
    const ids = Array.from({ length: 6 }, () => randomUUID());
    // The timestamps go back by almost an hour, in steps. After that, the spec sends the same event ids again, like a
    // client that repeats its requests.
    const messages = [...ids, ...ids].map((event_id, n) => {
      const at = now - (n % 6) * 600_000;
      const times = { timestamp: at * 1000, ingested_at: at * 1000 };
      const record = {
        event_id,
        event_type: 't',
        entity_id: 'e',
        ...times,
        schema_version: null,
        metadata: '{}',
        data: `{"n":${n + 1}}`,
      };
      return { key: 'e', value: encodeRecord(record), partition: first.partition, timestamp: String(at) };
    });
    await putIntoTopic(stack.brokers, await topicOf(stack, stream), messages);
    const last = await writeEvent(stack.write, { stream, event_type: 't', entity_id: 'e', data: { n: 99 } });
    const { events } = await queryEvents(stack.core, { stream }, waitFor([last]));
    const inLog = events.sort((a, b) => a.offset - b.offset);
    expect(inLog.map(({ data }) => data.n)).toEqual([0, 1, 2, 3, 4, 5, 6, 99]);
    expect(inLog.map(({ version }) => version)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });
});
