import { fakeFetch, problem, type FakeAnswer, type SeenRequest } from '../http/fake-fetch.fixture.js';
import { Tributary } from '../tributary.js';
import type { SettleInput, SettleResult } from '../types/index.js';

/** Replaces the answer to a request, if it returns one. */
type AnswerOverride = (request: SeenRequest, server: FakeSubscriptionServer) => FakeAnswer | undefined;

interface FakeHandOut {
  n: number;
  attempt: number;
  isOut: boolean;
}

/**
 * A server with one subscription, whose events have the numbers 0 to `count` - 1 in their data. A `receive` without an event
 * waits until one is there.
 */
export class FakeSubscriptionServer {
  readonly fetch = fakeFetch((request) => this.answer(request));
  readonly client = new Tributary({ url: 'http://tributary', fetch: this.fetch });
  readonly subscription = this.client.subscription('billing');
  /** Bodies of the requests `ack` that were carried out. */
  readonly settled: SettleInput[] = [];
  readonly acknowledged: number[] = [];
  readonly refusals: { n: number; reason?: string | null; delay?: string | null; park?: boolean | null }[] =
    [];
  /** The largest number of events that were handed out and not settled. */
  mostOut = 0;
  ackWithin = '30s';
  private readonly handOuts = new Map<string, FakeHandOut>();
  private waiting: { n: number; attempt: number }[];
  private arrived = (): void => undefined;

  constructor(
    count: number,
    private readonly interrupt: AnswerOverride = () => undefined,
  ) {
    this.waiting = Array.from({ length: count }, (_, n) => ({ n, attempt: 1 }));
  }

  get tokens(): string[] {
    return [...this.handOuts.keys()];
  }

  /** Hands out again what is out, as after `ack_within`. */
  expireAll(): void {
    for (const handOut of this.handOuts.values()) if (handOut.isOut) this.handOutAgain(handOut);
    this.arrived();
  }

  requests(path: string): SeenRequest[] {
    return this.fetch.seen.filter((request) => request.path.endsWith(path));
  }

  private async answer(request: SeenRequest): Promise<FakeAnswer> {
    const interruption = this.interrupt(request, this);
    if (interruption) return interruption;
    if (request.method === 'GET') return { body: { name: 'billing', ack_within: this.ackWithin } };
    if (request.path.endsWith('/receive')) return await this.receive(request);
    if (request.path.endsWith('/ack')) return this.settle(JSON.parse(request.text) as SettleInput);
    return problem('not_found', 404);
  }

  private async receive(request: SeenRequest): Promise<FakeAnswer> {
    const { max = 100 } = JSON.parse(request.text) as { max?: number };
    while (this.waiting.length === 0) await new Promise<void>((resolve) => (this.arrived = resolve));
    const events = this.waiting.splice(0, max).map(({ n, attempt }) => {
      const token = `t${n}-${attempt}`;
      this.handOuts.set(token, { n, attempt, isOut: true });
      const event = `{"event_id":"e${n}","stream":"s","event_type":"t","data":{"n":${n},"exact":1.10},"metadata":{}}`;
      return `{"token":"${token}","attempt":${attempt},"event":${event}}`;
    });
    const out = [...this.handOuts.values()].filter(({ isOut }) => isOut);
    this.mostOut = Math.max(this.mostOut, out.length);
    return { body: `{"events":[${events.join(',')}]}` };
  }

  /** Carries out a request `ack`. */
  settle(input: SettleInput): FakeAnswer {
    this.settled.push(input);
    const ack = (input.ack ?? []).map((token) =>
      this.change(token, (one) => this.acknowledged.push(one.n), 'done'),
    );
    const nack = (input.nack ?? []).map(({ token, ...refusal }) =>
      this.change(token, (one) => {
        this.refusals.push({ n: one.n, ...refusal });
        if (!refusal.park) this.handOutAgain(one);
      }),
    );
    const extend = (input.extend ?? []).map((token) => this.change(token, (one) => (one.isOut = true)));
    this.arrived();
    return { body: { ack, nack, extend } };
  }

  private handOutAgain(one: FakeHandOut): void {
    one.isOut = false;
    this.waiting.push({ n: one.n, attempt: one.attempt + 1 });
  }

  private change(token: string, act: (one: FakeHandOut) => unknown, repeated?: SettleResult): SettleResult {
    const one = this.handOuts.get(token);
    if (!one) return 'unknown';
    if (!one.isOut) return this.acknowledged.includes(one.n) && repeated ? repeated : 'expired';
    one.isOut = false;
    act(one);
    return 'done';
  }
}
