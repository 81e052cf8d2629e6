import { beforeAll, describe, expect, it } from 'vitest';
import { Tributary, VersionConflictError, type StoredEvent } from '#client';
import { freshStream } from '../api.js';
import { useSharedStack } from '../use-stack.js';

const system = useSharedStack();
const stream = freshStream('appends');
let client: Tributary;
beforeAll(() => {
  client = newClient();
});

function newClient(): Tributary {
  const { urls, key } = system();
  return new Tributary({ url: urls.query, apiKey: key, ingestUrl: urls.ingest });
}

const counted = (n: number) => [{ event_type: 'counted', data: { n } }];

async function eventsOf(entity_id: string): Promise<StoredEvent<{ n: number }>[]> {
  const events: StoredEvent<{ n: number }>[] = [];
  const query = { stream, entity_id, wait_for: client.afterWrites(stream) };
  for await (const event of client.events<{ n: number }>(query)) events.push(event);
  return events.toSorted((a, b) => a.version! - b.version!);
}

describe('append', () => {
  it('writes events of consecutive versions', async () => {
    const entity = { stream, entity_id: 'a' };
    expect(await client.append(entity, 0, [1, 2, 3].flatMap(counted))).toEqual([1, 2, 3]);
    expect(await client.append(entity, 3, counted(4))).toEqual([4]);
    const events = await eventsOf('a');
    expect(events.map(({ version, data }) => [version, data.n])).toEqual([
      ...[
        [1, 1],
        [2, 2],
        [3, 3],
        [4, 4],
      ],
    ]);
  });

  it('writes nothing if the entity has another version', async () => {
    const entity = { stream, entity_id: 'b' };
    await client.append(entity, 0, counted(1));
    const refused = client.append(entity, 0, [2, 3].flatMap(counted));
    await expect(refused).rejects.toBeInstanceOf(VersionConflictError);
    await expect(refused).rejects.toMatchObject({ currentVersion: 1, status: 412 });
    expect(await eventsOf('b')).toHaveLength(1);
  });

  it('of several writers at once: all events of one of them are written', async () => {
    const entity = { stream, entity_id: 'c' };
    const appends = Array.from({ length: 8 }, (_, n) =>
      newClient().append(entity, 0, [n, n].flatMap(counted)),
    );
    const results = await Promise.allSettled(appends);
    expect(results.filter(({ status }) => status === 'fulfilled')).toMatchObject([{ value: [1, 2] }]);
    const refused = results.filter(({ status }) => status === 'rejected');
    expect(refused).toMatchObject(Array(7).fill({ reason: { currentVersion: 2 } }));
  });
});

describe('a producer', () => {
  it('resolves with versions, and rejects with the current version, in one batch', async () => {
    await using producer = client.producer({ lanes: 1, lingerMs: 50 });
    const sent = [0, 1, 9].map((expectedVersion, n) =>
      producer.send({ stream, entity_id: 'd', ...counted(n)[0]! }, { expectedVersion }),
    );
    const [first, second, third] = await Promise.allSettled(sent);
    expect([first, second]).toMatchObject([{ value: { version: 1 } }, { value: { version: 2 } }]);
    expect(third).toMatchObject({ reason: { name: 'VersionConflictError', currentVersion: 2 } });
  });

  it('resolves with the first version of an event that is sent again', async () => {
    await using producer = client.producer();
    const event = { stream, entity_id: 'r', event_id: crypto.randomUUID(), ...counted(1)[0]! };
    expect(await producer.send(event, { expectedVersion: 0 })).toMatchObject({ version: 1 });
    expect(await producer.send(event, { expectedVersion: 0 })).toMatchObject({ version: 1 });
    expect(await eventsOf('r')).toHaveLength(1);
  });
});

describe('decide', () => {
  it('counts every increment of many clients once', async () => {
    const entity = { stream, entity_id: 'e' };
    const increments = Array.from({ length: 5 }, async () => {
      const own = newClient();
      for (let times = 0; times < 4; times++)
        await own.decide<{ n: number }>(entity, (state) => counted((state?.n ?? 0) + 1), { attempts: 50 });
    });
    await Promise.all(increments);
    await expect
      .poll(async () => (await eventsOf('e')).map(({ data }) => data.n))
      .toEqual([...Array.from({ length: 20 }, (_, n) => n + 1)]);
  });

  it('sees what its own client has just written', async () => {
    const entity = { stream, entity_id: 'f' };
    await client.append(entity, 0, counted(1));
    const versions: number[] = [];
    await client.decide(entity, (_, version) => {
      versions.push(version);
      return counted(2);
    });
    expect(versions).toEqual([1]);
  });
});
