import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProblemDocument } from '#api';
import { expectedVersionHeader, readExpectedVersion } from '#event';
import { VerdictPublisher, VerdictTable, type Verdict } from '#verdicts';
import { event, startTestIngest, type TestIngest } from './writing.fixture.js';

let given: TestIngest;
let judge: Judge;
beforeEach(async () => {
  given = await startTestIngest();
  judge = new Judge();
});
afterEach(async () => {
  await judge.stop();
  await given.close();
});

/** Decides the conditional records of all streams like a materializer that counts every event of an entity. */
class Judge {
  private readonly table = new VerdictTable({ log: given.log, names: given.topics });
  private readonly publisher = new VerdictPublisher({
    ...{ table: this.table, names: given.topics, producer: () => given.log.producer() },
  });
  private readonly versions = new Map<string, number>();
  private readonly next = new Map<string, number>();
  private stopped = false;
  private running = this.run();

  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
    await this.table.close();
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      for (const [topic, { partitions }] of given.log.topics)
        if (topic.includes('.events.'))
          for (const [partition, { records }] of partitions.entries())
            await this.judge({ topic, partition }, records as never);
      await sleep(1);
    }
  }

  private async judge(
    place: { topic: string; partition: number },
    records: readonly { offset: number; key: Buffer; headers: Record<string, Buffer> }[],
  ): Promise<void> {
    const key = `${place.topic}/${place.partition}`;
    const verdicts: Verdict[] = [];
    const fresh = records.slice(this.next.get(key) ?? 0);
    for (const { offset, key: entity, headers } of fresh) {
      const version = this.versions.get(`${key}/${String(entity)}`) ?? 0;
      const expected = readExpectedVersion(headers[expectedVersionHeader]);
      const isRefused = expected !== undefined && expected !== version;
      if (!isRefused) this.versions.set(`${key}/${String(entity)}`, version + 1);
      if (expected === undefined) continue;
      verdicts.push(isRefused ? { offset, current_version: version } : { offset, version: version + 1 });
    }
    this.next.set(key, records.length);
    await this.table.ready();
    if (verdicts.length > 0) await this.publisher.publish(place, records.length, verdicts);
  }
}

const conditional = (expected_version: unknown, more: object = {}) =>
  event({ entity_id: 'e', expected_version, ...more });

describe('one event with an expected version', () => {
  it('is a 201 with its version if the entity has the version', async () => {
    const first = await given.single(conditional(0));
    expect([first.statusCode, first.json()]).toEqual([201, expect.objectContaining({ version: 1 })]);
    expect((await given.single(conditional(1))).json()).toMatchObject({ version: 2 });
    const [record] = given.records('orders');
    expect(record!.headers[expectedVersionHeader]?.toString()).toBe('0');
    expect(given.written()[0]).not.toHaveProperty('expected_version');
  });

  it('is a 412 with the current version if it has another one', async () => {
    await given.single(event({ entity_id: 'e' }));
    const answer = await given.single(conditional(0));
    expect(answer.statusCode).toBe(412);
    expect(answer.json()).toMatchObject({ code: 'version_conflict', current_version: 1, status: 412 });
    expect(answer.headers['content-type']).toContain('application/problem+json');
  });

  it('is unconditional if it is null, and has no version then', async () => {
    const answer = await given.single(conditional(null));
    expect([answer.statusCode, answer.json()]).toEqual([201, expect.not.objectContaining({ version: 1 })]);
  });

  it('is a 400 without an entity', async () => {
    const answer = await given.single(event({ expected_version: 0 }));
    expect(answer.statusCode).toBe(400);
    expect(answer.json<ProblemDocument>().errors).toEqual([
      { pointer: '/expected_version', detail: 'needs an entity_id' },
    ]);
  });

  it.each(['-1', '1.5', '"1"', 'true', '{}', '9007199254740992', '1e400'])(
    'is a 400 with the version %s',
    async (version) => {
      const answer = await given.single(JSON.stringify(conditional('x')).replace('"x"', version));
      expect(answer.statusCode).toBe(400);
      expect(answer.json<ProblemDocument>().errors).toMatchObject([{ pointer: '/expected_version' }]);
      expect(given.records('orders')).toEqual([]);
    },
  );
});

describe('a batch with expected versions', () => {
  it('decides each event by itself', async () => {
    const events = [conditional(0), conditional(5), conditional(1), event()];
    const answer = await given.batch({ events });
    expect(answer.statusCode).toBe(207);
    const place = { partition: expect.any(Number) as number, offset: expect.any(Number) as number };
    expect(answer.json()).toMatchObject({
      ...{ accepted: 3, rejected: 1 },
      events: [
        { version: 1 },
        { error: { code: 'version_conflict', status: 412, current_version: 1 }, ...place },
        { version: 2 },
        place,
      ],
    });
    expect(answer.json<{ events: object[] }>().events[3]).not.toHaveProperty('version');
  });

  it('is a 207 if the log refuses all', async () => {
    const answer = await given.batch({ events: [conditional(3), conditional(4)] });
    expect([answer.statusCode, answer.json()]).toEqual([
      207,
      expect.objectContaining({ accepted: 0, rejected: 2 }),
    ]);
  });

  it('is a 400 if it has more of them than a batch may have', async () => {
    const values = '{}\n'.repeat(10_001);
    const query = '/api/v1/streams/orders/raw?event_type=t&entity_id=e&expected_version=0';
    expect((await given.post(query, values)).statusCode).toBe(400);
    expect(given.records('orders')).toEqual([]);
  });

  it('cannot be atomic', async () => {
    const answer = await given.post('/api/v1/events/batch?atomic=true', {
      events: [event(), conditional(0)],
    });
    expect(answer.statusCode).toBe(400);
    expect(answer.json<ProblemDocument>().errors).toMatchObject([{ pointer: '/events/1/expected_version' }]);
    expect(given.records('orders')).toEqual([]);
  });
});

describe('raw values with an expected version', () => {
  const raw = (query: string, body: string) =>
    given.post(`/api/v1/streams/orders/raw?event_type=t&${query}`, body);

  it('are decided by a constant or a pointer', async () => {
    const constant = await raw('entity_id=e&expected_version=0', '{}');
    expect([constant.statusCode, constant.json()]).toEqual([200, expect.objectContaining({ accepted: 1 })]);
    const mapped = await raw(
      'entity_id=/id&expected_version=/seen',
      '[{"id":"e","seen":1},{"id":"e","seen":"9"}]',
    );
    expect([mapped.statusCode, mapped.json()]).toMatchObject([
      200,
      { accepted: 1, refused: 1, errors: [{ index: 1, code: 'version_conflict', current_version: 2 }] },
    ]);
  });

  it('of one request cannot be several with strict handling', async () => {
    const query = '/api/v1/streams/orders/raw?event_type=t&entity_id=e&expected_version=0';
    const answer = await given.post(query, '{}\n{}', { prefer: 'handling=strict' });
    expect([answer.statusCode, given.records('orders')]).toEqual([400, []]);
  });

  it('are a 412 if the only value is refused', async () => {
    const answer = await raw('entity_id=e&expected_version=4', '{}');
    expect([answer.statusCode, answer.json()]).toMatchObject([412, { current_version: 0 }]);
  });

  it.each([
    ['entity_id=e&expected_version=-1', 'expected_version'],
    ['entity_id=e&expected_version=1.0', 'expected_version'],
    ['expected_version=1', 'expected_version'],
  ])('are a 400 with %s', async (query, pointer) => {
    const answer = await raw(query, '{}');
    expect([answer.statusCode, answer.json<ProblemDocument>().errors]).toMatchObject([400, [{ pointer }]]);
  });
});

describe('a CloudEvent with the extension expectedversion', () => {
  const cloudEvent = (more: object) => ({
    ...{ specversion: '1.0', id: String(Math.random()), source: '/s', type: 't', subject: 'e' },
    ...more,
  });
  const send = (body: object, type = 'application/cloudevents+json') =>
    given.post('/api/v1/streams/orders/cloudevents', body, { 'content-type': type });

  it('is decided, and the condition is no part of the event', async () => {
    expect((await send(cloudEvent({ expectedversion: 0 }))).statusCode).toBe(204);
    expect((await send(cloudEvent({ expectedversion: '1' }))).statusCode).toBe(204);
    const refused = await send(cloudEvent({ expectedversion: 1 }));
    expect([refused.statusCode, refused.json()]).toMatchObject([412, { current_version: 2 }]);
    expect(given.written().map(({ metadata }) => metadata)).toEqual(
      expect.not.arrayContaining([expect.stringContaining('expectedversion')]),
    );
  });

  it('shows what is refused in a batch, although the answer usually has no body', async () => {
    const batch = [cloudEvent({ expectedversion: 0 }), cloudEvent({ expectedversion: 7 })];
    const answer = await send(batch, 'application/cloudevents-batch+json');
    expect([answer.statusCode, answer.json()]).toMatchObject([200, { accepted: 1, refused: 1 }]);
  });

  it('is a 400 without a subject, or with a version that is no number', async () => {
    for (const more of [{ subject: undefined, expectedversion: 0 }, { expectedversion: 'x' }])
      expect((await send(cloudEvent(more))).statusCode).toBe(400);
  });
});
