import { describe, expect, it, vi } from 'vitest';
import { StoreUnavailableError, VersionConflictError } from '../errors/problem-classes.js';
import { problem } from '../http/fake-fetch.fixture.js';
import { FakeSingleEntityServer } from './fake-single-entity-server.fixture.js';

const entity = { stream: 's', entity_id: 'e' };
const event = (event_type: string) => ({ event_type, data: { last: event_type } });

describe('a decision', () => {
  it('is passed the state and the version of the entity, and its events are appended', async () => {
    const server = new FakeSingleEntityServer();
    server.writeElsewhere('earlier');
    const decision = vi.fn(() => [event('a'), event('b')]);
    expect(await server.client.decide<{ by: string }>(entity, decision)).toEqual([2, 3]);
    expect(decision.mock.calls).toEqual([[{ by: 'another' }, 1]]);
    expect(server.types).toEqual(['earlier', 'a', 'b']);
  });

  it.each(['entity_not_found', 'stream_not_found'])('is passed no state, for %s', async (code) => {
    const server = new FakeSingleEntityServer(({ method }) =>
      method === 'GET' ? problem(code, 404) : undefined,
    );
    const decision = vi.fn(() => [event('a')]);
    expect(await server.client.decide(entity, decision)).toEqual([1]);
    expect(decision.mock.calls).toEqual([[undefined, 0]]);
  });

  it.each([undefined, []])('that is %j writes nothing', async (nothing) => {
    const server = new FakeSingleEntityServer();
    expect(await server.client.decide(entity, () => nothing)).toEqual([]);
    expect(server.writes).toEqual([]);
  });

  it('is based on a state that includes the writes of this client', async () => {
    const server = new FakeSingleEntityServer();
    await server.client.append(entity, 0, [event('a')]);
    await server.client.decide(entity, () => [event('b')]);
    expect(server.fetch.seen.map(({ path }) => path)).toContain(
      '/api/v1/entities/e/state?stream=s&wait_for=s%3A3%3A0',
    );
  });

  it('is made again after a conflict, when a read shows the new state', async () => {
    let reads = 0;
    const server = new FakeSingleEntityServer(({ method }, n) => {
      if (method === 'GET') server.visible = ++reads < 4 ? 0 : undefined;
      else if (n === 1) server.writeElsewhere('other');
      return undefined;
    });
    const decision = vi.fn((_: unknown, version: number) => [event(`after-${version}`)]);
    expect(await server.client.decide(entity, decision)).toEqual([2]);
    expect(decision.mock.calls).toEqual([
      [undefined, 0],
      [{ by: 'another' }, 1],
    ]);
    expect(server.types).toEqual(['other', 'after-1']);
    expect([reads, server.writes.length]).toEqual([4, 2]);
  });

  it('is made at most `attempts` times', async () => {
    const server = new FakeSingleEntityServer((_, n) => void (n > 0 && server.writeElsewhere('other')));
    const decision = vi.fn(() => [event('a')]);
    const decided = server.client.decide(entity, decision, { attempts: 3 });
    await expect(decided).rejects.toBeInstanceOf(VersionConflictError);
    expect(decision).toHaveBeenCalledTimes(3);
  });

  it('can have a state of its own', async () => {
    const server = new FakeSingleEntityServer();
    server.writeElsewhere('earlier');
    const read = vi.fn(async () => ({ version: 1, state: 17 }));
    const decision = (state = 0) => [{ event_type: 'counted', data: { state } }];
    expect(await server.client.decide(entity, decision, { read })).toEqual([2]);
    expect(server.events[1]).toMatchObject({ data: { state: 17 } });
    expect(read.mock.calls).toEqual([[{ wait_for: [], signal: undefined }]]);
  });

  it('is not made if the state cannot be read', async () => {
    const server = new FakeSingleEntityServer(() => problem('store_unavailable', 503));
    const decision = vi.fn(() => []);
    await expect(server.client.decide(entity, decision)).rejects.toBeInstanceOf(StoreUnavailableError);
    expect(decision).not.toHaveBeenCalled();
  });
});
