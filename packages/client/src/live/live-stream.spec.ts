import { describe, expect, it } from 'vitest';
import { InvalidAnswerError, TimeoutError, UnreachableError } from '../errors/tributary-error.js';
import { projectionChanges, eventTail } from './live-requests.js';
import { LiveStream, type LiveOptions } from './live-stream.js';
import { errorMessage, eventMessage, givenStreams, type ConnectionScript } from './streams.fixture.js';

const silent: ConnectionScript = { pieces: ['id: end\n\n'], then: 'silence' };

/** Follows the connections until this number of events has arrived, and returns what happened. */
async function tail(connections: ConnectionScript[], { take, ...options }: LiveOptions & { take: number }) {
  const { http, headers, urls } = givenStreams(...connections);
  const reconnects: unknown[] = [];
  const onReconnect = (error: unknown) => reconnects.push(error);
  const stream = new LiveStream(http, eventTail({ stream: 's' }), {
    onReconnect,
    ...options,
  });
  const ids: string[] = [];
  const positions: (string | undefined)[] = [];
  for await (const { event_id } of stream) {
    ids.push(event_id);
    positions.push(stream.position);
    if (ids.length === take) break;
  }
  return { ids, positions, reconnects, urls, resumed: headers.map((sent) => sent['last-event-id']) };
}

describe('a tail', () => {
  it('continues from the last id when the connection breaks', async () => {
    const broken: ConnectionScript = {
      pieces: [eventMessage('a', '1'), eventMessage('b', '2')],
      then: 'break',
    };
    const { ids, resumed, reconnects, urls } = await tail(
      [broken, { pieces: [eventMessage('c', '3')], then: 'end' }],
      {
        take: 3,
      },
    );
    expect(ids).toEqual(['a', 'b', 'c']);
    expect(resumed).toEqual([undefined, '2']);
    expect(reconnects).toMatchObject([expect.any(UnreachableError)]);
    expect(urls[0]).toBe('http://tributary/api/v1/events/stream?stream=s');
  });

  it('continues from an id that arrived without data', async () => {
    const first: ConnectionScript = { pieces: [eventMessage('a', '1'), 'id: 7\n\n'], then: 'end' };
    const { resumed } = await tail([first, { pieces: [eventMessage('b', '8')], then: 'end' }], { take: 2 });
    expect(resumed).toEqual([undefined, '7']);
  });

  it('skips events that are sent again after the last id', async () => {
    const first: ConnectionScript = {
      pieces: ['id: 1\n\n', eventMessage('a'), eventMessage('b')],
      then: 'break',
    };
    const again: ConnectionScript = {
      pieces: ['id: 1\n\n', eventMessage('a'), eventMessage('b'), eventMessage('c', '2')],
      then: 'end',
    };
    expect((await tail([first, again], { take: 3 })).ids).toEqual(['a', 'b', 'c']);
  });

  it('has a position from which another stream can continue', async () => {
    const { positions } = await tail(
      [{ pieces: ['id: 1\n\n', eventMessage('a'), eventMessage('b', '2')], then: 'end' }],
      {
        take: 2,
      },
    );
    expect(positions).toEqual(['1', '2']);
    const { resumed } = await tail([{ pieces: [eventMessage('c', '3')], then: 'end' }], {
      take: 1,
      from: '2',
    });
    expect(resumed).toEqual(['2']);
  });

  it('treats a silent connection as dead', async () => {
    const { ids, reconnects } = await tail([silent, { pieces: [eventMessage('a', '1')], then: 'end' }], {
      ...{ take: 1, silenceMs: 50 },
    });
    expect(ids).toEqual(['a']);
    expect(reconnects).toMatchObject([expect.any(TimeoutError)]);
  });

  it("does not count the reader's processing time as silence", async () => {
    const { http, urls } = givenStreams({ pieces: [eventMessage('a', '1')], then: 'end' });
    for await (const _ of new LiveStream(http, eventTail({}), { silenceMs: 20 })) {
      await new Promise((resolve) => setTimeout(resolve, 80));
      break;
    }
    expect(urls).toHaveLength(1);
  });

  it.each([
    ['overloaded', 503],
    ['shutting_down', 503],
    ['log_unavailable', 503],
    ['internal_error', 500],
  ])('reconnects when the server ends the stream with %s', async (code, status) => {
    const ended: ConnectionScript = { pieces: ['retry: 1\n', errorMessage(code, status)], then: 'end' };
    const { reconnects } = await tail([ended, { pieces: [eventMessage('a', '1')], then: 'end' }], {
      take: 1,
    });
    expect(reconnects).toMatchObject([{ code }]);
  });

  it.each([
    ['invalid_token', 401, 'InvalidTokenError'],
    ['stream_not_found', 404, 'StreamNotFoundError'],
    ['query_too_expensive', 422, 'QueryTooExpensiveError'],
    ['invalid_request', 400, 'InvalidRequestError'],
  ])('throws the permanent error %s', async (code, status, name) => {
    const ended: ConnectionScript = { pieces: [errorMessage(code, status)], then: 'end' };
    await expect(tail([ended], { take: 1 })).rejects.toMatchObject({ name, code });
  });

  it('rejects the page of a proxy', async () => {
    const page: ConnectionScript = { type: 'text/html', then: 'end' };
    const { reconnects } = await tail([page, { pieces: [eventMessage('a', '1')], then: 'end' }], { take: 1 });
    expect(reconnects).toMatchObject([expect.any(InvalidAnswerError)]);
  });

  it('ends with its signal, even while it waits', async () => {
    await expect(tail([silent], { take: 1, signal: AbortSignal.timeout(20) })).rejects.toThrow();
    const gone: ConnectionScript = { pieces: ['retry: 60000\n\n'], then: 'end' };
    await expect(tail([gone], { take: 1, signal: AbortSignal.timeout(20) })).rejects.toThrow();
  });
});

it('changes of a projection contain the changed states, and say when to discard them', async () => {
  const state = '{"key":"EUR","version":2,"updated_at":"2026-11-21T04:00:00Z","state":{"sum": 1.10}}';
  const pieces = [
    `id: 1\n\nevent: change\ndata: ${state}\n\n`,
    'event: caught_up\ndata: {"version":3}\n\nevent: reset\ndata: {"version":4}\n\n',
  ];
  const { http, urls } = givenStreams({ pieces, then: 'silence' });
  const changes = [];
  for await (const change of new LiveStream(http, projectionChanges('sales', true), {})) {
    changes.push(change);
    if (change.type === 'reset') break;
  }
  expect(changes).toMatchObject([
    { type: 'change', key: 'EUR', version: 2, stateText: '{"sum": 1.10}', state: { sum: 1.1 } },
    { type: 'caught_up', version: 3 },
    { type: 'reset' },
  ]);
  expect(urls).toEqual(['http://tributary/api/v1/projections/sales/changes?snapshot=true']);
});
