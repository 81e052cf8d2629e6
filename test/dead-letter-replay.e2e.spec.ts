import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { idOf, type HttpAnswer, topicOf } from '#testkit';
import {
  expectProblem,
  freshStream,
  path,
  queryEvents,
  waitFor,
  writeEvent,
  type SingleWriteAnswer,
} from './api.js';
import { putIntoTopic } from './read-topic.js';
import { useSecondGateway } from './second-gateway.js';
import { sql } from './sql.js';
import { useStack } from './use-stack.js';

const system = useStack();
const other = useSecondGateway(system);

interface Replayed {
  matched: number;
  replayed: number;
  skipped: number;
  failed: { id: string; detail: string }[];
  events: (SingleWriteAnswer & { id: string })[];
}

interface Letter {
  id: string;
  stream: string;
  offset: number;
  event: string;
  replayed_at: string | null;
}

const replay = (body: object, query = '', client = system().core) =>
  client.post(`/api/v1/dead-letters/replay${query}`, body);
const replayed = (answer: HttpAnswer): Replayed => {
  expect(answer.status, answer.text).toBe(200);
  return answer.json<Replayed>();
};
const lettersOf = async (stream: string): Promise<Letter[]> => {
  const answer = await system().core.get('/api/v1/dead-letters?limit=1000');
  const { dead_letters } = answer.json<{ dead_letters: Letter[] }>();
  return dead_letters.filter((letter) => letter.stream === stream);
};

/**
 * Creates a stream with one event, and dead letters like those that the materializer writes when ClickHouse refuses a
 * row.
 */
async function givenLetters(
  count: number,
): Promise<{ stream: string; letters: Letter[]; first: SingleWriteAnswer }> {
  const stream = freshStream();
  const first = await writeEvent(system().core, { stream, event_type: 't', entity_id: 'e', data: { n: -1 } });
  const id = await idOf(system(), stream);
  const rows = Array.from({ length: count }, (_, n) => {
    const time = `2026-11-21T04:00:00.00000${n % 10}Z`;
    const head = `{"event_id":"${randomUUID()}","event_type":"t","entity_id":"e","timestamp":"${time}"`;
    const event = `${head},"ingested_at":"${time}","schema_version":null,"metadata":{},"data":{"n": ${n}, "big": 9007199254740993}}`;
    const place = { source: 'materializer', stream: id, partition: 0, offset: 1000 + n };
    return {
      ...place,
      reason: 'refused_by_store',
      error: 'no',
      event,
      created_at: '2026-11-21 04:00:00.000000',
    };
  });
  const insert = `INSERT INTO ${system().database}.dead_letters FORMAT JSONEachRow`;
  await sql(system(), `${insert}\n${rows.map((row) => JSON.stringify(row)).join('\n')}`);
  const letters = await lettersOf(stream);
  expect(letters).toHaveLength(count);
  return { stream, letters, first };
}

/** Returns `n` of the stream's events, when the given positions can be queried. */
async function storedNumbers(stream: string, written: readonly SingleWriteAnswer[]): Promise<number[]> {
  const { events } = await queryEvents(system().core, { stream, limit: '1000' }, waitFor(written));
  const versions = events.map(({ version }) => Number(version)).sort((a, b) => a - b);
  expect(versions).toEqual(events.map((_, i) => i + 1));
  return events.map(({ data }) => Number(data.n)).sort((a, b) => a - b);
}

describe.each(['core', 'query'] as const)('dead letters that are replayed on the %s port', (port) => {
  it('become events, once, with the data that they contain', async () => {
    const { stream, letters, first } = await givenLetters(3);
    const ids = letters.map(({ id }) => id);
    const dry = replayed(await replay({ ids }, '?dry_run=true', system()[port]));
    expect(dry).toMatchObject({ matched: 3, replayed: 3, skipped: 0, failed: [], events: [] });
    const answer = replayed(await replay({ ids }, '', system()[port]));
    expect(answer).toMatchObject({ matched: 3, replayed: 3, skipped: 0, failed: [] });
    expect(await storedNumbers(stream, [first, ...answer.events])).toEqual([-1, 0, 1, 2]);
    const one = await system()[port].get(`/api/v1/events/${answer.events[0]?.event_id}`);
    expect(one.text).toContain('"big": 9007199254740993');
    expect((await lettersOf(stream)).every(({ replayed_at }) => replayed_at !== null)).toBe(true);
    const again = replayed(await replay({ ids }, '', system()[port]));
    expect(again).toMatchObject({ matched: 3, replayed: 0, skipped: 3, events: [] });
    const last = await writeEvent(system().core, {
      stream,
      event_type: 't',
      entity_id: 'e',
      data: { n: 99 },
    });
    expect(await storedNumbers(stream, [last])).toEqual([-1, 0, 1, 2, 99]);
  });

  it('are not replayed if they still cannot be read, and the reason is reported', async () => {
    const stream = freshStream();
    const first = await writeEvent(system().core, { stream, event_type: 't', entity_id: 'e', data: {} });
    const topic = await topicOf(system(), stream);
    await putIntoTopic(system().brokers, topic, [{ value: 'hello', partition: first.partition }]);
    await expect.poll(async () => (await lettersOf(stream)).length).toBe(1);
    const ids = (await lettersOf(stream)).map(({ id }) => id);
    const answer = replayed(await replay({ ids: [...ids, 'x'] }, '', system()[port]));
    expect(answer).toMatchObject({ matched: 1, replayed: 0 });
    expect(answer.failed.map(({ id }) => id).sort()).toEqual([...ids, 'x'].sort());
    expect((await lettersOf(stream))[0]?.replayed_at).toBeNull();
  });
});

describe('dead letters that are replayed', () => {
  it('concurrently, through two gateways, become one event each', async () => {
    const { stream, letters, first } = await givenLetters(20);
    const ids = letters.map(({ id }) => id);
    const clients = [system().core, other(), system().core, other()];
    const answers = await Promise.all(clients.map((client) => replay({ ids }, '', client)));
    const events = answers.flatMap((answer) => replayed(answer).events);
    const numbers = await storedNumbers(stream, [first, ...events]);
    expect(numbers).toEqual([-1, ...letters.map((_, n) => n)]);
  });

  it('again after a crash before the mark create no second event', async () => {
    const { stream, letters, first } = await givenLetters(5);
    const ids = letters.map(({ id }) => id);
    const { events } = replayed(await replay({ ids }));
    await storedNumbers(stream, [first, ...events]);
    const replays = `${system().database}.dead_letter_replays`;
    await sql(system(), `TRUNCATE TABLE ${replays}`);
    expect((await lettersOf(stream)).every(({ replayed_at }) => replayed_at === null)).toBe(true);
    expect(replayed(await replay({ ids }))).toMatchObject({ matched: 5, replayed: 0, skipped: 5 });
    expect((await lettersOf(stream)).every(({ replayed_at }) => replayed_at !== null)).toBe(true);
    expect(await storedNumbers(stream, events)).toEqual([-1, 0, 1, 2, 3, 4]);
  });

  it('by source are those that have not been replayed yet', async () => {
    const { stream, letters } = await givenLetters(2);
    const dry = replayed(await replay({ source: 'materializer' }, '?dry_run=true'));
    expect(dry.replayed).toBe(2);
    const { events } = replayed(await replay({ source: 'materializer' }));
    expect(events.map(({ id }) => id).sort()).toEqual(letters.map(({ id }) => id).sort());
    expect(await storedNumbers(stream, events)).toEqual([-1, 0, 1]);
    expect(replayed(await replay({ source: 'materializer' })).replayed).toBe(0);
    expect(replayed(await replay({ source: 'nobody' }))).toMatchObject({ matched: 0 });
  });

  it('are replayed only by a key with the scope admin', async () => {
    const headers = { authorization: `Bearer ${system().readerKey}` };
    const answer = await system().query.post('/api/v1/dead-letters/replay', { ids: ['x'] }, { headers });
    expectProblem(answer, 'insufficient_scope');
  });

  it('are listed with and without the others', async () => {
    const { stream, letters } = await givenLetters(2);
    const [one, two] = letters;
    replayed(await replay({ ids: [one!.id] }));
    const list = async (value: string) => {
      const answer = await system().core.get(
        path('/api/v1/dead-letters', { replayed: value, limit: '1000' }),
      );
      const { dead_letters } = answer.json<{ dead_letters: Letter[] }>();
      return dead_letters.filter((letter) => letter.stream === stream).map(({ id }) => id);
    };
    expect(await list('true')).toEqual([one?.id]);
    expect(await list('false')).toEqual([two?.id]);
  });
});
