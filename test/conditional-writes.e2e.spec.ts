import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { HttpClient } from '#testkit';
import {
  expectProblem,
  expectWritten,
  freshStream,
  queryEvents,
  waitFor,
  type SingleWriteAnswer,
} from './api.js';
import { useSharedStack } from './use-stack.js';

const system = useSharedStack();

interface Conditional extends SingleWriteAnswer {
  version: number;
}

interface Conflict {
  code: string;
  current_version: number;
}

const json = { 'content-type': 'application/json' };

interface Wanted {
  stream: string;
  expected_version: number;
  event_id?: string;
}

/** Writes one event of the entity `e` on a condition. Repeats it while it is undecided: the machine may be slow. */
async function write(client: HttpClient, wanted: Wanted) {
  const event = { event_type: 'happened', entity_id: 'e', data: {}, event_id: randomUUID(), ...wanted };
  for (let time = 1; ; time++) {
    const answer = await client.send('POST', '/api/v1/events', {
      body: JSON.stringify(event),
      headers: json,
    });
    if (answer.status !== 504 || time === 5) return answer;
  }
}

describe.each(['ingest', 'core', 'query'] as const)('conditional writes on the port %s', (port) => {
  const client = () => (port === 'ingest' ? system().write : system()[port]);

  it('are accepted with consecutive versions, or refused with the current one', async () => {
    const stream = freshStream('conditional');
    const versions: number[] = [];
    for (const expected of [0, 1, 2]) {
      const answer = await write(client(), { stream, expected_version: expected });
      expect(answer.status, answer.text).toBe(201);
      versions.push(answer.json<Conditional>().version);
    }
    expect(versions).toEqual([1, 2, 3]);
    const answer = await write(client(), { stream, expected_version: 1 });
    expectProblem(answer, 'version_conflict');
    expect(answer.json<Conflict>().current_version).toBe(3);
  });

  it('of many writers at once: one of them wins each version', async () => {
    const stream = freshStream('conditional');
    for (const expected of [0, 1, 2]) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => write(client(), { stream, expected_version: expected })),
      );
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).toEqual([201, ...Array.from({ length: 19 }, () => 412)]);
    }
    const written = expectWritten(await write(client(), { stream, expected_version: 3 }));
    const page = await queryEvents(system().core, { stream }, waitFor([written]));
    expect(page.events.map(({ version }) => version).sort()).toEqual([1, 2, 3, 4]);
  });

  it('that repeat an accepted event have its version; the id of a refused one is judged anew', async () => {
    const stream = freshStream('conditional');
    const [accepted, refused] = [randomUUID(), randomUUID()];
    expect((await write(client(), { stream, expected_version: 0, event_id: accepted })).status).toBe(201);
    expectProblem(
      await write(client(), { stream, expected_version: 0, event_id: refused }),
      'version_conflict',
    );
    const again = await write(client(), { stream, expected_version: 0, event_id: accepted });
    expect([again.status, again.json()]).toMatchObject([201, { version: 1, repeated: true }]);
    const anew = await write(client(), { stream, expected_version: 1, event_id: refused });
    expect([anew.status, anew.json<Conditional>().version]).toEqual([201, 2]);
    const page = await queryEvents(system().core, { stream }, waitFor([anew.json<SingleWriteAnswer>()]));
    expect(page.events.map(({ event_id }) => event_id).sort()).toEqual([accepted, refused].sort());
  });
});

describe.each(['ingest', 'query'] as const)('atomic batches with a condition on the port %s', (port) => {
  const client = () => (port === 'ingest' ? system().write : system()[port]);

  interface Written {
    events: { event_id: string; partition: number; offset: number; version: number; repeated?: true }[];
  }
  type Event = Record<string, unknown>;

  const eventsOf = (stream: string, count: number, first: Event = {}): Event[] =>
    Array.from({ length: count }, (_, i) => ({
      ...{ stream, event_type: `happened-${i}`, entity_id: 'e', data: { i }, event_id: randomUUID() },
      ...(i === 0 && first),
    }));

  /** Writes an atomic batch. Repeats it while it is undecided: the machine may be slow. */
  async function writeAll(events: readonly Event[]) {
    for (let time = 1; ; time++) {
      const answer = await client().send('POST', '/api/v1/events/batch?atomic=true', {
        body: JSON.stringify({ events }),
        headers: json,
      });
      if (answer.status !== 504 || time === 5) return answer;
    }
  }

  it('are accepted with consecutive versions at contiguous offsets, or refused as a whole', async () => {
    const stream = freshStream('atomic');
    const answer = await writeAll(eventsOf(stream, 3, { expected_version: 0 }));
    expect(answer.status, answer.text).toBe(201);
    const { events } = answer.json<Written>();
    expect(events.map(({ version }) => version)).toEqual([1, 2, 3]);
    expect(events.map(({ offset }) => offset - events[0]!.offset)).toEqual([0, 1, 2]);

    const conflict = await writeAll(eventsOf(stream, 3, { expected_version: 1 }));
    expectProblem(conflict, 'version_conflict');
    expect(conflict.json<Conflict>().current_version).toBe(3);
    const last = await writeAll(eventsOf(stream, 2, { expected_version: 3 }));
    const page = await queryEvents(
      system().core,
      { stream },
      waitFor([{ stream, ...last.json<Written>().events[1]! }]),
    );
    expect(page.events.map(({ version }) => version).sort()).toEqual([1, 2, 3, 4, 5]);
  });

  it('of many writers at once: the events of one of them are written', async () => {
    const stream = freshStream('atomic');
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        i % 2 === 0
          ? writeAll(eventsOf(stream, 3, { expected_version: 0 }))
          : write(client(), { stream, expected_version: 0 }),
      ),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array.from({ length: 19 }, () => 412)]);
  });

  it('that are repeated have the same versions, and a repeat of some of their events is refused', async () => {
    const stream = freshStream('atomic');
    const events = eventsOf(stream, 3, { expected_version: 0 });
    for (let time = 0; time < 3; time++) {
      const answer = await writeAll(events);
      expect(answer.status, answer.text).toBe(201);
      const written = answer.json<Written>().events;
      expect(written.map(({ version }) => version)).toEqual([1, 2, 3]);
      if (time > 0) expect(written.every(({ repeated }) => repeated)).toBe(true);
    }
    const { expected_version: _, ...known } = events[0]!;
    for (const some of [
      [...eventsOf(stream, 1, { expected_version: 3 }), known],
      [{ ...known, expected_version: 0 }, ...eventsOf(stream, 1)],
      [{ ...known, expected_version: 3 }, ...events.slice(1), ...eventsOf(stream, 1)],
    ])
      expectProblem(await writeAll(some), 'partial_repeat');
    expect((await writeAll(eventsOf(stream, 1, { expected_version: 3 }))).status).toBe(201);
  });

  it('have at most 1 000 events and 1 MB', async () => {
    const stream = freshStream('atomic');
    const most = await writeAll(eventsOf(stream, 1_000, { expected_version: 0 }));
    expect(most.status, most.text.slice(0, 300)).toBe(201);
    expect(most.json<Written>().events.at(-1)?.version).toBe(1_000);
    expectProblem(await writeAll(eventsOf(stream, 1_001, { expected_version: 1_000 })), 'payload_too_large');
    const large = (bytes: number) =>
      eventsOf(stream, 2, { expected_version: 1_000 }).map((event) => ({
        ...event,
        data: { text: 'x'.repeat(bytes / 2) },
      }));
    expectProblem(await writeAll(large(1_000_000)), 'payload_too_large');
    const below = await writeAll(large(990_000));
    expect(below.status, below.text.slice(0, 300)).toBe(201);
  });

  it.each([
    { what: 'events of two entities', code: 'one_entity', pointer: 'entity_id', second: { entity_id: 'f' } },
    {
      what: 'an event without an entity',
      code: 'one_entity',
      pointer: 'entity_id',
      second: { entity_id: null },
    },
    { what: 'events of two streams', code: 'one_entity', pointer: 'stream', second: { stream: 'another' } },
    {
      what: 'a condition on a later event',
      code: 'invalid_request',
      pointer: 'expected_version',
      second: { expected_version: 1 },
    },
  ] as const)('are refused with $what, and nothing is written', async ({ code, pointer, second }) => {
    const stream = freshStream('atomic');
    const [first, other] = eventsOf(stream, 2, { expected_version: 0 });
    const answer = await writeAll([first!, { ...other, ...second }]);
    expectProblem(answer, code);
    expect(answer.json<{ errors: object[] }>().errors).toMatchObject([{ pointer: `/events/1/${pointer}` }]);
    expect((await writeAll(eventsOf(stream, 1, { expected_version: 0 }))).status).toBe(201);
  });

  it('are refused with an event twice', async () => {
    const events = eventsOf(freshStream('atomic'), 2, { expected_version: 0 });
    const answer = await writeAll([events[0]!, { ...events[1], event_id: events[0]!.event_id }]);
    expectProblem(answer, 'invalid_request');
  });
});

describe('a projection and a pipeline over a stream with refused records', () => {
  const stream = freshStream('conditional');
  const target = freshStream('accepted');
  const name = freshStream('p');
  let last: SingleWriteAnswer;
  let accepted = 0;

  beforeAll(async () => {
    const { core } = system();
    const source = { streams: [stream] };
    expect((await core.post('/api/v1/streams', { stream })).status).toBe(201);
    const projection = { name, source, key: 'event.entity_id', fields: { events: { op: 'count' } } };
    expect((await core.post('/api/v1/projections', projection)).status).toBe(201);
    const pipeline = { name, source, operators: [{ emit: { stream: target } }] };
    expect((await core.post('/api/v1/pipelines', pipeline)).status).toBe(201);
    for (let n = 0; n < 30; n++) {
      const answer = await write(core, { stream, expected_version: n % 3 === 2 ? 1_000 : accepted });
      if (answer.status !== 201) continue;
      accepted++;
      last = answer.json<SingleWriteAnswer>();
    }
  }, 120_000);

  it('counts and emits only accepted events', { timeout: 120_000 }, async () => {
    expect(accepted).toBe(20);
    const { core } = system();
    const state = async () => {
      const answer = await core.get(`/api/v1/projections/${name}/state/e`);
      return answer.status === 200 ? answer.json<{ state: object }>().state : answer.status;
    };
    const emitted = async () => (await queryEvents(core, { stream: target }, { limit: '1000' })).count;
    await vi.waitFor(async () => expect([await state(), await emitted()]).toEqual([{ events: 20 }, 20]), {
      timeout: 100_000,
      interval: 200,
    });
    const page = await queryEvents(core, { stream }, { limit: '1000' }, waitFor([last]));
    expect(page.count).toBe(20);
  });
});

describe('a conditional write with a key that reads no events', () => {
  const send = (key: string, wanted: Wanted) =>
    system().query.send('POST', '/api/v1/events', {
      body: JSON.stringify({ event_type: 'happened', entity_id: 'e', data: {}, ...wanted }),
      headers: { ...json, authorization: `Bearer ${key}` },
    });
  const keyOf = async (stream: string) => {
    const body = { name: 'writer', scopes: ['events:write'], streams: [stream] };
    return (await system().core.post('/api/v1/keys', body)).json<{ key: string }>().key;
  };

  it('is told the version of an entity that the key may write, and of no other', async () => {
    const [own, foreign] = [freshStream('conditional'), freshStream('conditional')];
    for (const stream of [own, foreign])
      expect((await write(system().core, { stream, expected_version: 0 })).status).toBe(201);
    const key = await keyOf(own);
    await expect.poll(async () => (await send(key, { stream: own, expected_version: 7 })).status).toBe(412);

    const refused = await send(key, { stream: own, expected_version: 7 });
    expect(refused.json<Conflict>()).toMatchObject({ code: 'version_conflict', current_version: 1 });
    for (const stream of [foreign, freshStream('missing')]) {
      const forbidden = await send(key, { stream, expected_version: 7 });
      expectProblem(forbidden, 'stream_forbidden');
      expect(forbidden.text).not.toContain('version');
    }
  });
});
