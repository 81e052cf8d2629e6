import { describe, expect, it } from 'vitest';
import { VersionConflictError } from '../errors/problem-classes.js';
import { UnknownOutcomeError } from '../errors/tributary-error.js';
import { problem } from '../http/fake-fetch.fixture.js';
import { FakeSingleEntityServer } from './fake-single-entity-server.fixture.js';

const entity = { stream: 's', entity_id: 'e' };
const events = ['a', 'b', 'c'].map((event_type) => ({ event_type, data: {} }));

async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.fail('The promise is fulfilled.'),
    (error: unknown) => error,
  );
}

describe('events that are appended to an entity', () => {
  it('expect consecutive versions, and resolve with the versions that they have', async () => {
    const server = new FakeSingleEntityServer();
    server.writeElsewhere('earlier');
    expect(await server.client.append(entity, 1, events)).toEqual([2, 3, 4]);
    expect(server.types).toEqual(['earlier', 'a', 'b', 'c']);
    expect(server.writes.map(({ text }) => JSON.parse(text) as object)).toMatchObject(
      events.map((event, i) => ({ ...entity, ...event, expected_version: 1 + i })),
    );
    expect(server.client.afterWrites('s')).toEqual(['s:3:3']);
  });

  it('are each sent after the one before was accepted', async () => {
    let open = 0;
    const server = new FakeSingleEntityServer(async () => {
      expect(++open).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 5));
      open--;
      return undefined;
    });
    await server.client.append(entity, 0, events);
  });

  it('are not written if the entity has another version', async () => {
    const server = new FakeSingleEntityServer();
    server.writeElsewhere('earlier');
    const error = await errorOf(server.client.append(entity, 0, events));
    expect(error).toBeInstanceOf(VersionConflictError);
    expect(error).toMatchObject({ currentVersion: 1, appended: 0, code: 'version_conflict' });
    expect(server.writes).toHaveLength(1);
  });

  it('end with the first one that is refused, and the error has the number of written ones', async () => {
    const server = new FakeSingleEntityServer((_, n) => void (n === 2 && server.writeElsewhere('between')));
    const error = await errorOf(server.client.append(entity, 0, events));
    expect(error).toMatchObject({ currentVersion: 2, appended: 1 });
    expect(server.types).toEqual(['a', 'between']);
  });

  it('end with the first one whose outcome is unknown', async () => {
    const server = new FakeSingleEntityServer((_, n) => (n > 1 ? problem('undecided', 504) : undefined));
    const error = await errorOf(server.client.append(entity, 0, events, { deliveryTimeoutMs: 100 }));
    expect(error).toBeInstanceOf(UnknownOutcomeError);
    expect(error).toMatchObject({ appended: 1, cause: { code: 'undecided' } });
    expect(server.types).toEqual(['a']);
  });

  it('end with their signal', async () => {
    const controller = new AbortController();
    const server = new FakeSingleEntityServer(
      (_, n) => void (n === 2 && controller.abort(new Error('enough'))),
    );
    const appended = server.client.append(entity, 0, events, { signal: controller.signal });
    await expect(appended).rejects.toThrow('enough');
    expect(server.types).not.toContain('c');
  });
});
