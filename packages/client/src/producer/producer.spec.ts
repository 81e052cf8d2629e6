import { describe, expect, it } from 'vitest';
import { BufferFullError, ProducerClosedError, UnknownOutcomeError } from '../errors/tributary-error.js';
import { problem, type FakeAnswer, type SeenRequest } from '../http/fake-fetch.fixture.js';
import { eventsOf, givenProducer, written } from './producer.fixture.js';

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);
const numbersIn = (request: SeenRequest) => eventsOf(request).map(({ data }) => data.n);

/** A server that answers a request when the test releases it. */
function held(answer: (request: SeenRequest) => FakeAnswer = written) {
  const waiting: (() => void)[] = [];
  return {
    release: () => waiting.splice(0).forEach((go) => go()),
    answer: (request: SeenRequest) =>
      new Promise<FakeAnswer>((resolve) => waiting.push(() => resolve(answer(request)))),
  };
}

describe('an event', () => {
  it('resolves with its position', async () => {
    const { send, acknowledged } = givenProducer();
    const position = await send(7);
    expect(position).toMatchObject({ stream: 's', partition: 0, offset: 7 });
    expect(position.event_id).toMatch(/^[0-9a-f-]{14}7/);
    expect(acknowledged).toEqual([position]);
  });

  it('has the warnings of its answer reported, alone and in a batch', async () => {
    const warnings: string[] = [];
    const text = 'The stream ordrs did not exist and was created. Did you mean orders?';
    const warned = (request: SeenRequest): FakeAnswer => {
      const answer = written(request);
      return { ...answer, body: { ...(answer.body as object), warnings: [text] } };
    };
    const { send } = givenProducer(warned, { onWarning: (warning) => warnings.push(warning) });
    await send(1);
    await Promise.all([send(2), send(3)]);
    expect(new Set(warnings)).toEqual(new Set([text]));
    expect(warnings.length).toBeGreaterThan(1);
    await expect(givenProducer(warned).send(4)).resolves.toMatchObject({ offset: 4 });
  });

  it('keeps its given id', async () => {
    const event_id = '019aa4e2-7d53-7c1e-9a3e-0d6a1f0b2c11';
    expect(await givenProducer().send(1, { event_id })).toMatchObject({ event_id });
  });

  it('is read at once, so later changes of the object have no effect', async () => {
    const { producer, requests } = givenProducer();
    const data = { n: 1 };
    const sent = producer.send({ stream: 's', event_type: 't', data });
    data.n = 2;
    await sent;
    expect(numbersIn(requests[0]!)).toEqual([1]);
  });
});

describe('batches', () => {
  it('contain the events of the linger time, up to the maximum number', async () => {
    const { send, requests } = givenProducer(written, { batchEvents: 4, lanes: 1 });
    await Promise.all(numbers(10).map((n) => send(n)));
    expect(requests.map(numbersIn)).toEqual([
      [0, 1, 2, 3],
      [4, 5, 6, 7],
      [8, 9],
    ]);
  });

  it('have a maximum size in bytes', async () => {
    const { send, requests } = givenProducer(written, { batchBytes: 1_000, lanes: 1 });
    await Promise.all(numbers(6).map((n) => send(n, { metadata: { filler: 'x'.repeat(300) } })));
    expect(requests.map(numbersIn)).toEqual([
      [0, 1],
      [2, 3],
      [4, 5],
    ]);
  });

  it('are compressed from 8 KiB', async () => {
    const { send, requests } = givenProducer(written, { lanes: 1 });
    await send(1);
    await Promise.all(numbers(100).map((n) => send(n)));
    expect(requests.map(({ headers }) => headers['content-encoding'])).toEqual([undefined, 'gzip']);
    expect(numbersIn(requests[1]!)).toEqual(numbers(100));
  });
});

describe('the events of an entity', () => {
  it('keep their order: while a request is in flight, the next ones wait', async () => {
    const { release, answer } = held();
    const { send, requests } = givenProducer(answer, { batchEvents: 2 });
    const sent = numbers(5).map((n) => send(n, { entity_id: 'e' }));
    await expect.poll(() => requests).toHaveLength(1);
    for (let flown = 1; flown < 3; flown++) {
      release();
      await expect.poll(() => requests).toHaveLength(flown + 1);
    }
    release();
    await Promise.all(sent);
    expect(requests.flatMap(numbersIn)).toEqual(numbers(5));
  });

  it('do not wait for requests of other lanes', async () => {
    const { release, answer } = held();
    const { send, requests } = givenProducer(answer, { lanes: 4 });
    const sent = numbers(64).map((n) => send(n, { entity_id: `e${n}` }));
    await expect.poll(() => requests).toHaveLength(4);
    release();
    await Promise.all(sent);
  });
});

describe('a request with a transient failure', () => {
  it('is repeated with the same bytes, and its events resolve', async () => {
    const failures: (() => FakeAnswer)[] = [
      () => {
        throw new TypeError('fetch failed');
      },
      () => problem('log_unavailable', 503),
      () => ({ status: 201, body: '{"accepted":2,"rej' }),
      () => ({ status: 502, body: '<html>' }),
    ];
    const { send, requests } = givenProducer((request) => (failures.shift() ?? (() => written(request)))());
    expect(await Promise.all([send(1), send(2)])).toMatchObject([{ offset: 1 }, { offset: 2 }]);
    expect(requests).toHaveLength(5);
    expect(new Set(requests.map(({ text }) => text)).size).toBe(1);
  });

  it('is repeated after Retry-After', async () => {
    const answers = [{ ...problem('too_many_requests', 429), headers: { 'retry-after': '1' } }];
    const { send } = givenProducer((request) => answers.shift() ?? written(request));
    const start = performance.now();
    await send(1);
    expect(performance.now() - start).toBeGreaterThanOrEqual(990);
  });

  it('ends after the delivery time-out with an unknown outcome', async () => {
    const { send } = givenProducer(() => problem('starting', 503), { deliveryTimeoutMs: 300 });
    const error: unknown = await send(1).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UnknownOutcomeError);
    expect(error).toMatchObject({ code: 'unknown', cause: { code: 'starting' } });
    expect((error as UnknownOutcomeError).attempts).toBeGreaterThan(1);
  });

  it('fails if no answer arrives in time', async () => {
    let calls = 0;
    const never = new Promise<never>(() => undefined);
    const { send } = givenProducer((request) => (++calls === 1 ? never : written(request)), {
      requestTimeoutMs: 20,
    });
    expect(await send(1)).toMatchObject({ offset: 1 });
  });
});

describe('a request that is refused', () => {
  it('rejects each event of a batch separately, with pointers into the event', async () => {
    const wrong = { code: 'schema_violation', status: 422, detail: 'It does not fit.' };
    const errors = [{ pointer: '/events/1/data/n', detail: 'must be less' }];
    const answer = (request: SeenRequest) => {
      const good = (written(request).body as { events: unknown[] }).events[0];
      return {
        status: 207,
        body: { accepted: 1, rejected: 1, events: [good, { error: { ...wrong, errors } }] },
      };
    };
    const { send } = givenProducer(answer, { lanes: 1 });
    const [first, second] = await Promise.allSettled([send(1), send(2)]);
    expect(first).toMatchObject({ status: 'fulfilled', value: { offset: 1 } });
    expect(second).toMatchObject({
      reason: { name: 'SchemaViolationError', problem: { errors: [{ pointer: '/data/n' }] } },
    });
  });

  it('is repeated for the events of a batch with a transient failure', async () => {
    const busy = { error: { code: 'log_unavailable', status: 503, detail: 'Kafka is away.' } };
    let calls = 0;
    const answer = (request: SeenRequest) => {
      if (++calls > 1) return written(request);
      const good = (written(request).body as { events: unknown[] }).events[0];
      return { status: 207, body: { accepted: 1, rejected: 1, events: [good, busy] } };
    };
    const { send, requests } = givenProducer(answer, { lanes: 1 });
    expect(await Promise.all([send(1), send(2)])).toMatchObject([{ offset: 1 }, { offset: 2 }]);
    expect(requests.map(numbersIn)).toEqual([[1, 2], [2]]);
  });

  it('is halved until its body is small enough', async () => {
    const answer = (request: SeenRequest) =>
      eventsOf(request).length > 2 ? problem('payload_too_large', 413) : written(request);
    const { send, requests } = givenProducer(answer, { lanes: 1 });
    await Promise.all(numbers(7).map((n) => send(n)));
    const taken = requests.filter((request) => eventsOf(request).length <= 2);
    expect(taken.flatMap(numbersIn)).toEqual(numbers(7));
  });

  it('is halved also if a proxy refuses its size', async () => {
    const answer = (request: SeenRequest) =>
      eventsOf(request).length > 2 ? { status: 413, body: '<html>' } : written(request);
    const { send } = givenProducer(answer, { lanes: 1 });
    expect(await Promise.all(numbers(7).map((n) => send(n)))).toHaveLength(7);
  });

  it.each([
    ['a page that says OK', { status: 200, body: { status: 'ok' } }],
    ['null', { status: 200, body: 'null' }],
    ['a batch of nothing known', { status: 200, body: { events: [null, { partition: 'x', offset: 1 }] } }],
  ])('is repeated if the answer is %s, which is not an acknowledgement', async (_, junk) => {
    const answers: FakeAnswer[] = [junk];
    const { send, requests } = givenProducer((request) => answers.shift() ?? written(request));
    expect(await Promise.all([send(1), send(2)])).toMatchObject([{ offset: 1 }, { offset: 2 }]);
    expect(requests.length).toBeGreaterThan(1);
  });

  it('ends within the delivery time-out, even with a longer request time-out', async () => {
    const never = new Promise<never>(() => undefined);
    const { send } = givenProducer(() => never, { deliveryTimeoutMs: 50, requestTimeoutMs: 600_000 });
    await expect(send(1)).rejects.toBeInstanceOf(UnknownOutcomeError);
  });

  it('ends within the delivery time-out, even with a longer Retry-After', async () => {
    const later = { ...problem('too_many_requests', 429), headers: { 'retry-after': '600' } };
    const { send } = givenProducer(() => later, { deliveryTimeoutMs: 50 });
    await expect(send(1)).rejects.toBeInstanceOf(UnknownOutcomeError);
  });

  it('is repeated for each event if no event was written, so that each has its own reason', async () => {
    const answer = ({ path }: SeenRequest) =>
      path.endsWith('/batch') ? problem('invalid_request', 400) : problem('stream_reserved', 403);
    const { send } = givenProducer(answer, { lanes: 1 });
    const results = await Promise.allSettled([send(1), send(2)]);
    expect(results).toMatchObject(Array(2).fill({ reason: { name: 'StreamReservedError' } }));
  });

  it('rejects all events of a batch if the key is invalid', async () => {
    const { send, requests } = givenProducer(() => problem('invalid_token', 401), { lanes: 1 });
    const results = await Promise.allSettled([send(1), send(2)]);
    expect(results).toMatchObject(Array(2).fill({ reason: { code: 'invalid_token' } }));
    expect(requests).toHaveLength(1);
  });
});

describe('a full buffer', () => {
  const bounds = { maxBufferedBytes: 200, lanes: 1 };

  it('makes send wait, in order, and loses no event', async () => {
    const { release, answer } = held();
    const { producer, send, requests } = givenProducer(answer, bounds);
    const sent = numbers(10).map((n) => send(n, { entity_id: 'e' }));
    await expect.poll(() => requests).toHaveLength(1);
    expect(eventsOf(requests[0]!).length).toBeLessThan(4);
    const ready = producer.ready();
    const going = setInterval(release, 1);
    await Promise.all([...sent, ready]);
    clearInterval(going);
    expect(requests.flatMap(numbersIn)).toEqual(numbers(10));
  });

  it('makes send reject if configured', async () => {
    const { release, answer } = held();
    const { send, requests } = givenProducer(answer, { ...bounds, onFull: 'reject' });
    const sent = [send(1), send(2)];
    await expect(send(3)).rejects.toBeInstanceOf(BufferFullError);
    await expect.poll(() => requests).toHaveLength(1);
    release();
    expect(await Promise.all(sent)).toHaveLength(2);
    const later = send(4);
    await expect.poll(() => requests).toHaveLength(2);
    release();
    await later;
  });
});

describe('flush', () => {
  it('sends at once, and resolves when all earlier events have an outcome, even a failure', async () => {
    const { producer, send } = givenProducer(() => problem('stream_reserved', 403), { lingerMs: 60_000 });
    const outcomes: string[] = [];
    void send(1).catch(() => outcomes.push('refused'));
    await producer.flush();
    expect(outcomes).toEqual(['refused']);
    await producer.flush();
  });

  it('does not wait for later events, and does not delay them', async () => {
    const { release, answer } = held();
    const { producer, send, requests } = givenProducer(answer, { lanes: 1 });
    const first = send(1);
    await expect.poll(() => requests).toHaveLength(1);
    const flushed = producer.flush();
    const second = send(2);
    release();
    await Promise.all([first, flushed]);
    await expect.poll(() => requests).toHaveLength(2);
    release();
    await second;
  });

  it('ends with its signal', async () => {
    const { producer, send } = givenProducer(held().answer, { deliveryTimeoutMs: 100, requestTimeoutMs: 50 });
    void send(1).catch(() => undefined);
    await expect(producer.flush({ signal: AbortSignal.timeout(10) })).rejects.toThrow();
  });
});

describe('close', () => {
  it('waits for all sent events, and accepts no more', async () => {
    const { producer, send, acknowledged } = givenProducer(written, { lingerMs: 60_000 });
    void send(1);
    await producer.close();
    expect(acknowledged).toHaveLength(1);
    await expect(send(2)).rejects.toBeInstanceOf(ProducerClosedError);
  });

  it('is called by `await using`', async () => {
    const { producer, send } = givenProducer();
    await producer[Symbol.asyncDispose]();
    await expect(send(2)).rejects.toBeInstanceOf(ProducerClosedError);
  });
});

describe('a signal', () => {
  it('aborts a waiting event, which is not sent', async () => {
    const { release, answer } = held();
    const { producer, send, requests } = givenProducer(answer, { lanes: 1 });
    const first = send(1);
    await expect.poll(() => requests).toHaveLength(1);
    const controller = new AbortController();
    const event = { stream: 's', event_type: 't', data: { n: 2 } };
    const second = producer.send(event, { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(second).rejects.toThrow('enough');
    release();
    await first;
    await producer.flush();
    expect(requests.map(numbersIn)).toEqual([[1]]);
  });

  it('ends the back-off, so that the producer can close', async () => {
    const later = { ...problem('too_many_requests', 429), headers: { 'retry-after': '600' } };
    const { producer, send, requests } = givenProducer(() => later, { deliveryTimeoutMs: 600_000 });
    const controller = new AbortController();
    const sent = send(1, {}, controller.signal);
    await expect.poll(() => requests).toHaveLength(1);
    controller.abort(new Error('enough'));
    await expect(sent).rejects.toThrow('enough');
    await producer.close();
  });

  it('of thousands of waiting events does not prevent the outcomes of the others', async () => {
    const { release, answer } = held();
    const { producer, send } = givenProducer(answer, { lanes: 1, maxBufferedBytes: 100 });
    const first = send(1);
    const controller = new AbortController();
    const waiting = numbers(10_000).map((n) => send(n, {}, controller.signal).catch(() => 'aborted'));
    controller.abort(new Error('enough'));
    await new Promise((resolve) => setTimeout(resolve, 20));
    release();
    await first;
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['aborted']));
    await producer.flush();
  });

  it('that is already aborted prevents the event from being accepted', async () => {
    const { producer } = givenProducer();
    const event = { stream: 's', event_type: 't', data: { n: 2 } };
    await expect(producer.send(event, { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow(
      'enough',
    );
  });
});
