import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { problem } from '../http/fake-fetch.fixture.js';
import { InvalidTokenError } from '../errors/problem-classes.js';
import type { EventRefusal } from '../types/index.js';
import { FakeSubscriptionServer } from './fake-subscription-server.fixture.js';
import type { EachOptions, EventHandler } from './subscription-worker.js';

type Data = { n: number };

/** A running `each` of a fake server. */
function given(server: FakeSubscriptionServer, handler: EventHandler<Data>, options: EachOptions<Data> = {}) {
  const controller = new AbortController();
  const ended = server.subscription.each<Data>(handler, { signal: controller.signal, ...options });
  // The test that expects an error awaits it later.
  ended.catch(() => undefined);
  const stop = () => (controller.abort(), ended);
  return { ended, stop };
}

/** A promise that a test resolves. */
function gate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open: () => open(), opened };
}

const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);
const ascending = (numbers: readonly number[]) => [...numbers].sort((a, b) => a - b);

describe('each', () => {
  it('passes every event to the handler with its exact data, and acknowledges it', async () => {
    const server = new FakeSubscriptionServer(25);
    const seen: string[] = [];
    const { stop } = given(server, (event, { attempt }) => void seen.push(`${attempt} ${event.dataText}`));
    await vi.waitFor(() => expect(server.acknowledged).toHaveLength(25));
    await stop();
    expect(ascending(server.acknowledged)).toEqual(upTo(25));
    expect(seen[7]).toBe('1 {"n":7,"exact":1.10}');
    expect(server.settled.length).toBeLessThan(25);
  });

  it('runs at most as many handlers as `concurrency`, and holds at most twice as many events', async () => {
    const server = new FakeSubscriptionServer(60);
    let [running, most] = [0, 0];
    const handler = async () => {
      most = Math.max(most, ++running);
      await sleep(2);
      running--;
    };
    const { stop } = given(server, handler, { concurrency: 4 });
    await vi.waitFor(() => expect(server.acknowledged).toHaveLength(60), { timeout: 5_000 });
    await stop();
    expect(most).toBe(4);
    expect(server.mostOut).toBeLessThanOrEqual(8);
  });

  it('asks for no event while its acknowledgements are not answered', async () => {
    let isDown = true;
    const lost = new FakeSubscriptionServer(60, ({ path }) =>
      isDown && path.endsWith('/ack') ? problem('log_unavailable', 503) : undefined,
    );
    const handled = vi.fn();
    const { stop } = given(lost, handled, { concurrency: 3 });
    await vi.waitFor(() => expect(lost.requests('/ack').length).toBeGreaterThan(1));
    await vi.waitFor(() => expect(handled.mock.calls).toHaveLength(6));
    const asked = lost.requests('/receive').length;
    await vi.waitFor(() => expect(lost.requests('/ack').length).toBeGreaterThan(3), { timeout: 5_000 });
    expect(lost.requests('/receive')).toHaveLength(asked);
    expect(handled.mock.calls).toHaveLength(6);
    isDown = false;
    await stop();
  });

  it('refuses an event for which the handler throws, with the message as the reason, and runs the others', async () => {
    const server = new FakeSubscriptionServer(4);
    const errors: unknown[] = [];
    const handler: EventHandler<Data> = ({ data: { n } }, { attempt }) => {
      if (n === 1 && attempt === 1) throw new Error('no address');
    };
    const { stop } = given(server, handler, { onError: (error) => void errors.push(error) });
    await vi.waitFor(() => expect(server.acknowledged).toHaveLength(4));
    await stop();
    expect(server.refusals).toEqual([{ n: 1, reason: 'no address' }]);
    expect(errors).toEqual([new Error('no address')]);
  });

  it.each<{ thrown: unknown; onError?: EventRefusal; refusal: object }>([
    { thrown: new Error('broken'), onError: { park: true }, refusal: { reason: 'broken', park: true } },
    { thrown: new Error(''), refusal: { reason: 'Error' } },
    { thrown: '', refusal: { reason: 'The handler has thrown.' } },
    { thrown: new Error('🎉'.repeat(1_500)), refusal: { reason: '🎉'.repeat(1_000) } },
  ])('refuses with $refusal', async ({ thrown, onError, refusal }) => {
    const server = new FakeSubscriptionServer(1);
    const handler: EventHandler<Data> = (_, { attempt }) => {
      if (attempt === 1) throw thrown;
    };
    const { stop } = given(server, handler, { onError: () => onError });
    await vi.waitFor(() => expect(server.refusals).toHaveLength(1));
    await stop();
    expect(server.refusals).toEqual([{ n: 0, ...refusal }]);
  });

  it('prolongs the event of a handler that takes long, and no other', async () => {
    const server = new FakeSubscriptionServer(2);
    server.ackWithin = '1s';
    const slow = gate();
    const { stop } = given(server, ({ data: { n } }) => (n === 1 ? slow.opened : undefined));
    const extended = () => server.settled.flatMap(({ extend }) => extend ?? []);
    await vi.waitFor(() => expect(extended().length).toBeGreaterThan(1), { timeout: 5_000 });
    expect(new Set(extended())).toEqual(new Set(['t1-1']));
    slow.open();
    await vi.waitFor(() => expect(server.acknowledged).toHaveLength(2));
    await stop();
  });

  it('works with a key that may not read the definition', async () => {
    const server = new FakeSubscriptionServer(3, ({ method }) =>
      method === 'GET' ? problem('insufficient_scope', 403) : undefined,
    );
    const { stop } = given(server, () => undefined);
    await vi.waitFor(() => expect(server.acknowledged).toHaveLength(3));
    await stop();
  });

  it('repeats an acknowledgement whose answer was lost; the repetition has the same result', async () => {
    let lost = 0;
    const server = new FakeSubscriptionServer(2, (request, self) => {
      if (!request.path.endsWith('/ack') || lost++ > 0) return undefined;
      self.settle(JSON.parse(request.text) as object);
      throw new Error('The connection broke.');
    });
    const onExpired = vi.fn();
    const { stop } = given(server, () => undefined, { onExpired });
    await vi.waitFor(() => expect(server.settled.length).toBeGreaterThan(1));
    await stop();
    expect(ascending(server.acknowledged)).toEqual([0, 1]);
    expect(onExpired).not.toHaveBeenCalled();
  });

  it('reports an event that was processed too late, and processes it again', async () => {
    const server = new FakeSubscriptionServer(1);
    const slow = gate();
    const onExpired = vi.fn();
    const { stop } = given(server, (_, { attempt }) => (attempt === 1 ? slow.opened : undefined), {
      onExpired,
    });
    await vi.waitFor(() => expect(server.tokens).toEqual(['t0-1']));
    server.expireAll();
    slow.open();
    await vi.waitFor(() => expect(server.acknowledged).toEqual([0]));
    await stop();
    expect(onExpired.mock.calls).toMatchObject([[{ token: 't0-1' }]]);
  });

  it('continues after lost connections, refusals for now, and while the subscription is paused', async () => {
    const failures = [
      () => problem('subscription_paused', 409),
      () => problem('overloaded', 503),
      () => {
        throw new Error('The connection broke.');
      },
    ];
    const server = new FakeSubscriptionServer(3, ({ path }) =>
      path.endsWith('/receive') ? failures.shift()?.() : undefined,
    );
    const onRetry = vi.fn();
    const { stop } = given(server, () => undefined, { onRetry });
    await vi.waitFor(() => expect(server.acknowledged).toHaveLength(3), { timeout: 5_000 });
    await stop();
    expect(onRetry).toHaveBeenCalledTimes(3);
  });

  it('stops when its signal is aborted: running handlers end, and their events are acknowledged', async () => {
    const server = new FakeSubscriptionServer(10);
    const slow = gate();
    const { stop } = given(server, () => slow.opened, { concurrency: 3 });
    await vi.waitFor(() => expect(server.tokens).toHaveLength(3));
    const stopped = vi.fn();
    const stopping = stop().then(stopped);
    await sleep(20);
    expect(stopped).not.toHaveBeenCalled();
    slow.open();
    await stopping;
    expect(ascending(server.acknowledged)).toEqual([0, 1, 2]);
    expect(server.requests('/receive')).toHaveLength(1);
  });

  it('stops at once while it waits for events, and does nothing with an aborted signal', async () => {
    const server = new FakeSubscriptionServer(0);
    const { stop } = given(server, () => undefined);
    await vi.waitFor(() => expect(server.requests('/receive')).toHaveLength(1));
    await stop();
    await server.subscription.each(() => undefined, { signal: AbortSignal.abort() });
    expect(server.requests('/receive')).toHaveLength(1);
  });

  it('rejects with an error that a repetition cannot repair, after the running handlers', async () => {
    const slow = gate();
    let received = 0;
    const server = new FakeSubscriptionServer(5, ({ path }) =>
      path.endsWith('/receive') && received++ > 0 ? problem('invalid_token', 401) : undefined,
    );
    const handler: EventHandler<Data> = ({ data: { n } }) => (n === 0 ? slow.opened : undefined);
    const { ended } = given(server, handler, { concurrency: 2 });
    await vi.waitFor(() => expect(server.requests('/receive')).toHaveLength(2));
    slow.open();
    await expect(ended).rejects.toBeInstanceOf(InvalidTokenError);
    expect(ascending(server.acknowledged)).toEqual([0, 1]);
  });

  it('rejects with the error of a callback', async () => {
    const server = new FakeSubscriptionServer(1);
    const failing = () => {
      throw new Error('the handler');
    };
    const onError = () => {
      throw new Error('the callback');
    };
    await expect(given(server, failing, { onError }).ended).rejects.toThrow('the callback');
    expect(server.refusals).toMatchObject([{ reason: 'the handler' }]);
  });

  it.each([{ concurrency: 0 }, { concurrency: 1_001 }, { max: 1.5 }, { concurency: 3 }])(
    'rejects the options %j',
    async (options) => {
      const { subscription } = new FakeSubscriptionServer(0);
      await expect(subscription.each(() => undefined, options as EachOptions)).rejects.toBeInstanceOf(
        TypeError,
      );
    },
  );
});
