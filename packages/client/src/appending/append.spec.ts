import { describe, expect, it } from 'vitest';
import { VersionConflictError } from '../errors/problem-classes.js';
import { UnknownOutcomeError } from '../errors/tributary-error.js';
import { problem } from '../http/fake-fetch.fixture.js';
import { FakeSingleEntityServer } from './fake-single-entity-server.fixture.js';

const entity = { stream: 's', entity_id: 'e' };
const events = ['a', 'b', 'c'].map((event_type) => ({ event_type, data: {} }));
const idsIn = ({ text }: { text: string }): string[] =>
  (JSON.parse(text) as { events: { event_id: string }[] }).events.map(({ event_id }) => event_id);

async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.fail('The promise is fulfilled.'),
    (error: unknown) => error,
  );
}

describe('events that are appended to an entity', () => {
  it('are one atomic request with one condition, and resolve with the versions that they have', async () => {
    const server = new FakeSingleEntityServer();
    server.writeElsewhere('earlier');
    expect(await server.client.append(entity, 1, events)).toEqual([2, 3, 4]);
    expect(server.types).toEqual(['earlier', 'a', 'b', 'c']);
    expect(server.writes.map(({ path }) => path)).toEqual(['/api/v1/events/batch?atomic=true']);
    const { events: sent } = JSON.parse(server.writes[0]!.text) as { events: object[] };
    expect(sent).toMatchObject(events.map((event) => ({ ...entity, ...event })));
    expect(sent.map((event) => 'expected_version' in event)).toEqual([true, false, false]);
    expect(server.client.afterWrites('s')).toEqual(['s:3:3']);
  });

  it('are not sent if there are none', async () => {
    const server = new FakeSingleEntityServer();
    expect(await server.client.append(entity, 7, [])).toEqual([]);
    expect(server.writes).toEqual([]);
  });

  it('are not written if the entity has another version', async () => {
    const server = new FakeSingleEntityServer();
    server.writeElsewhere('earlier');
    const error = await errorOf(server.client.append(entity, 0, events));
    expect(error).toBeInstanceOf(VersionConflictError);
    expect(error).toMatchObject({ currentVersion: 1, code: 'version_conflict' });
    expect([server.types, server.writes.length]).toEqual([['earlier'], 1]);
  });

  it('are sent again with the same ids while their outcome is unknown', async () => {
    const server = new FakeSingleEntityServer((_, n) => (n === 1 ? problem('undecided', 504) : undefined));
    expect(await server.client.append(entity, 0, events)).toEqual([1, 2, 3]);
    expect(server.writes).toHaveLength(2);
    expect(idsIn(server.writes[0]!)).toEqual(idsIn(server.writes[1]!));
  });

  it('are rejected with an unknown outcome after the time-out', async () => {
    const server = new FakeSingleEntityServer((_, n) => (n > 0 ? problem('undecided', 504) : undefined));
    const error = await errorOf(server.client.append(entity, 0, events, { deliveryTimeoutMs: 100 }));
    expect(error).toBeInstanceOf(UnknownOutcomeError);
    expect(error).toMatchObject({ cause: { code: 'undecided' } });
  });

  it('end with their signal', async () => {
    const controller = new AbortController();
    const server = new FakeSingleEntityServer((_, n) => {
      if (n === 1) controller.abort(new Error('enough'));
      return problem('undecided', 504);
    });
    const appended = server.client.append(entity, 0, events, { signal: controller.signal });
    await expect(appended).rejects.toThrow('enough');
    expect(server.writes).toHaveLength(1);
  });
});
