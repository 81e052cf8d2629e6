import { topicOf } from '#testkit';
import { describe, expect, it } from 'vitest';
import { expectProblem, freshStream, path, queryEvents, waitFor, writeEvent } from '../api.js';
import { putIntoTopic } from '../read-topic.js';
import { system } from './system.js';

interface Letters {
  total: number;
  next_cursor?: string | null;
  dead_letters: {
    id: string;
    source: string;
    stream: string;
    partition: number;
    offset: number;
    reason: string;
    error: string;
    event: string;
    created_at: string;
  }[];
}

describe('a record that cannot be read', () => {
  it('becomes a dead letter with the reason, and the records around it are processed', async () => {
    const stream = freshStream();
    const before = await writeEvent(system().core, {
      stream,
      event_type: 't',
      entity_id: 'e',
      data: { n: 1 },
    });
    const bad: [string, string | Buffer][] = [
      ['not JSON', 'hello'],
      ['empty', ''],
      ['an array', '[]'],
      ['without its members', '{"event_id":"x"}'],
      ['bytes that are no UTF-8', Buffer.from([0xff, 0xfe, 0x00, 0x80])],
      ['a tombstone', null as unknown as string],
      [
        'an id that is none',
        '{"event_id":"17","event_type":"t","entity_id":null,"timestamp":"2026-01-01T00:00:00.000000Z","ingested_at":"2026-01-01T00:00:00.000000Z","schema_version":null,"metadata":{},"data":{}}',
      ],
    ];
    const messages = bad.map(([, value]) => ({ key: 'e', value, partition: before.partition }));
    await putIntoTopic(system().brokers, await topicOf(system(), stream), messages);
    const after = await writeEvent(system().core, {
      stream,
      event_type: 't',
      entity_id: 'e',
      data: { n: 2 },
    });
    const { events } = await queryEvents(system().core, { stream }, waitFor([before, after]));
    expect(events.map(({ data, version }) => [data.n, version])).toEqual([
      [1, 1],
      [2, 2],
    ]);
    expect(after.offset).toBe(before.offset + bad.length + 1);

    for (const client of [system().core, system().query]) {
      const answer = await client.get(path('/api/v1/dead-letters', { source: 'materializer' }));
      expect(answer.status, answer.text).toBe(200);
      const letters = answer.json<Letters>().dead_letters.filter((letter) => letter.stream === stream);
      expect(letters.map(({ offset }) => offset).sort()).toEqual(bad.map((_, i) => before.offset + 1 + i));
      for (const letter of letters) {
        expect(letter).toMatchObject({
          source: 'materializer',
          partition: before.partition,
          reason: 'unreadable',
        });
        expect(letter.error).not.toBe('');
      }
      expect(letters.find(({ offset }) => offset === before.offset + 1)?.event).toBe('hello');
    }
  });

  it('is listed by source and time, newest first or oldest first, in pages', async () => {
    const all = (await system().core.get('/api/v1/dead-letters')).json<Letters>();
    expect(all.total).toBe(all.dead_letters.length);
    const seen: string[] = [];
    let cursor: string | null | undefined;
    do {
      const page = await system().core.get(
        path('/api/v1/dead-letters', { limit: '2' }, cursor ? { cursor } : {}),
      );
      seen.push(...page.json<Letters>().dead_letters.map(({ id }) => id));
      cursor = page.json<Letters>().next_cursor;
    } while (cursor);
    expect(seen).toEqual(all.dead_letters.map(({ id }) => id));
    expect(new Set(seen).size).toBe(all.total);
    const none = await system().core.get(path('/api/v1/dead-letters', { source: 'nobody' }));
    expect(none.json()).toMatchObject({ total: 0, dead_letters: [] });
    const future = await system().core.get(path('/api/v1/dead-letters', { since: '2100-01-01T00:00:00Z' }));
    expect(future.json()).toMatchObject({ total: 0 });
    expectProblem(
      await system().core.get(path('/api/v1/dead-letters', { since: 'yesterday' })),
      'invalid_request',
    );
  });
});
