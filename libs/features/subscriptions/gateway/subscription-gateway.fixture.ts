import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { SubscriptionDefinition } from '#features/subscriptions/definition';
import { systemActor } from '#registry';
import { givenGateway, type GivenGateway } from '../../../../apps/gateway/src/gateway.fixture.js';

export const path = '/api/v1/subscriptions';

/** The default definition of specs: everything of `orders`. */
export const spec = { source: { streams: ['orders'] } };

/** HTTP method of a request that a spec sends. */
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A gateway with the streams `orders` and `refunds`, and a new subscription name for each test. */
export class SubscriptionGatewayFixture {
  gateway: GivenGateway;
  name: string;
  private count = 0;

  constructor() {
    beforeAll(async () => {
      this.gateway = await givenGateway();
      for (const stream of ['orders', 'refunds'])
        await this.gateway.definitions.createStream({ stream, partitions: 2 }, systemActor);
    });
    beforeEach(() => void (this.name = `s${++this.count}`));
    afterAll(() => this.gateway.close());
  }

  /** Sends a request on the core port; with `authorization`, on the query port. */
  send(
    method: HttpMethod,
    url: string,
    { payload, authorization }: { payload?: object; authorization?: string } = {},
  ) {
    const port = authorization === undefined ? this.gateway.core : this.gateway.query;
    return port.instance.inject({
      ...{ method, url },
      ...(payload && { payload }),
      ...(authorization !== undefined && { headers: { authorization } }),
    });
  }

  /** Puts the default definition with other members. */
  put(more: object = {}) {
    return this.send('PUT', this.at(), { payload: { ...spec, ...more } });
  }

  /** Returns the path of this test's subscription, or a path below it. */
  at(part = ''): string {
    return `${path}/${this.name}${part}`;
  }

  async get(): Promise<Record<string, unknown>> {
    return (await this.send('GET', this.at())).json<Record<string, unknown>>();
  }

  get definition(): SubscriptionDefinition | undefined {
    return this.gateway.definitions.subscriptions.get(this.name);
  }

  async changed(next: (current: SubscriptionDefinition) => SubscriptionDefinition): Promise<void> {
    const { subscriptions } = this.gateway.definitions;
    await subscriptions.change(this.name, (current) => current && next(current), systemActor);
  }
}
