import { describe, expect, it } from 'vitest';
import { UndecidedError, VersionConflictError } from '../errors/problem-classes.js';
import { UnknownOutcomeError } from '../errors/tributary-error.js';
import { problem, type FakeAnswer, type SeenRequest } from '../http/fake-fetch.fixture.js';
import { eventsOf, givenProducer, written } from './producer.fixture.js';

const event = (n: number) => ({ stream: 's', event_type: 't', entity_id: 'e', data: { n } });

/** Answers a single event with its version. */
function accepted(request: SeenRequest): FakeAnswer {
  const { expected_version } = eventsOf(request)[0]!;
  return { status: 201, body: { ...(written(request).body as object), version: expected_version! + 1 } };
}

/** Answers a batch with these results instead of the positions. */
function batchOf(results: object[], request: SeenRequest): FakeAnswer {
  const { events } = written(request).body as { events: object[] };
  return {
    status: 207,
    body: { accepted: 0, rejected: 0, events: events.map((one, i) => results[i] ?? one) },
  };
}

describe('an event with an expected version', () => {
  it('resolves with its version', async () => {
    const { producer, requests, acknowledged } = givenProducer(accepted);
    const sent = await producer.send(event(7), { expectedVersion: 4 });
    expect(sent).toMatchObject({ stream: 's', partition: 0, offset: 7, version: 5 });
    expect(eventsOf(requests[0]!)).toMatchObject([{ expected_version: 4 }]);
    expect(acknowledged).toEqual([sent]);
  });

  it('may have it as a member', async () => {
    const { producer } = givenProducer(accepted);
    expect(await producer.send({ ...event(7), expected_version: 0 })).toMatchObject({ version: 1 });
  });

  it('has no version if there is none', async () => {
    const { send } = givenProducer();
    expect(await send(1)).not.toHaveProperty('version');
  });

  it('rejects with the current version, and is not sent again', async () => {
    const { producer, requests } = givenProducer(() =>
      problem('version_conflict', 412, { current_version: 9 }),
    );
    const sent = producer.send(event(1), { expectedVersion: 4 });
    await expect(sent).rejects.toBeInstanceOf(VersionConflictError);
    await expect(sent).rejects.toMatchObject({ name: 'VersionConflictError', currentVersion: 9 });
    expect(requests).toHaveLength(1);
  });

  it('is sent again with the same bytes until it is decided', async () => {
    const failures: (() => FakeAnswer)[] = [
      () => problem('undecided', 504),
      () => {
        throw new TypeError('fetch failed');
      },
    ];
    const { producer, requests } = givenProducer((request) =>
      (failures.shift() ?? (() => accepted(request)))(),
    );
    expect(await producer.send(event(1), { expectedVersion: 4 })).toMatchObject({ version: 5 });
    expect(requests).toHaveLength(3);
    expect(new Set(requests.map(({ text }) => text)).size).toBe(1);
  });

  it('has an unknown outcome if it is not decided within the delivery time-out', async () => {
    const { producer } = givenProducer(() => problem('undecided', 504), { deliveryTimeoutMs: 100 });
    const error: unknown = await producer.send(event(1), { expectedVersion: 4 }).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(UnknownOutcomeError);
    expect((error as Error).cause).toBeInstanceOf(UndecidedError);
  });

  it('waits longer for its answer than `requestTimeoutMs`, because the comparison takes time', async () => {
    const late = (request: SeenRequest) =>
      new Promise<FakeAnswer>((resolve) => setTimeout(() => resolve(accepted(request)), 60));
    const { producer, requests } = givenProducer(late, { requestTimeoutMs: 20 });
    expect(await producer.send(event(1), { expectedVersion: 4 })).toMatchObject({ version: 5 });
    expect(requests).toHaveLength(1);
  });
});

describe('events with expected versions in one batch', () => {
  const conflict = {
    error: { code: 'version_conflict', status: 412, detail: 'It has another.', current_version: 9 },
    ...{ partition: 0, offset: 1 },
  };

  it('resolve with their versions, or reject with the current one', async () => {
    const { producer } = givenProducer((request) =>
      batchOf([{ event_id: 'x', partition: 0, offset: 7, version: 5 }, conflict], request),
    );
    const sent = [4, 5].map((expectedVersion) => producer.send(event(1), { expectedVersion }));
    const [first, second] = await Promise.allSettled(sent);
    expect(first).toMatchObject({ status: 'fulfilled', value: { version: 5 } });
    expect(second).toMatchObject({ reason: { name: 'VersionConflictError', currentVersion: 9 } });
  });

  it('are sent again without the decided ones', async () => {
    const undecided = { error: { code: 'undecided', status: 504, detail: 'Not yet.' } };
    const { producer, requests } = givenProducer((request) =>
      request.path.endsWith('/batch') ? batchOf([conflict, undecided], request) : accepted(request),
    );
    const sent = [1, 2].map((n) => producer.send(event(n), { expectedVersion: n }));
    const [first, second] = await Promise.allSettled(sent);
    expect(first).toMatchObject({ reason: { currentVersion: 9 } });
    expect(second).toMatchObject({ value: { version: 3 } });
    expect(requests.map((request) => eventsOf(request).map(({ data }) => data.n))).toEqual([[1, 2], [2]]);
  });
});
