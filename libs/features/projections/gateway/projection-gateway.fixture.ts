import { afterAll, beforeAll, beforeEach } from 'vitest';
import { systemActor } from '#registry';
import { type ProjectionDefinition } from '#features/projections/definition';
import { givenGateway, type GivenGateway } from '../../../../apps/gateway/src/gateway.fixture.js';

export const path = '/api/v1/projections';

const fields = { orders: { op: 'count' }, revenue: { op: 'sum', value: 'event.data.amount' } };

/** The default definition of specs, without a name. */
export const spec = { source: { streams: ['orders'] }, key: 'event.data.currency', fields };

/** HTTP method of a request that a spec sends. */
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A gateway with the streams `orders` and `refunds`, and a new projection name for each test. */
export class ProjectionGatewayFixture {
  gateway: GivenGateway;
  name: string;
  private count = 0;

  constructor() {
    beforeAll(async () => {
      this.gateway = await givenGateway();
      for (const stream of ['orders', 'refunds'])
        await this.gateway.definitions.createStream({ stream, partitions: 2 }, systemActor);
    });
    beforeEach(() => void (this.name = `p${++this.count}`));
    afterAll(() => this.gateway.close());
  }

  /** Sends a request on the core port. */
  send(method: HttpMethod, url: string, payload?: object) {
    return this.gateway.core.instance.inject({ method, url, ...(payload && { payload }) });
  }

  define(more: object = {}) {
    return this.send('POST', path, { name: this.name, ...spec, ...more });
  }

  /** Returns the path of this test's projection, or a path below it. */
  at(part = ''): string {
    return `${path}/${this.name}${part}`;
  }

  async get(): Promise<Record<string, unknown>> {
    return (await this.send('GET', this.at())).json<Record<string, unknown>>();
  }

  get definition(): ProjectionDefinition | undefined {
    return this.gateway.definitions.projections.get(this.name);
  }

  /** Makes the new generation the serving one, as a processor does when it has caught up. */
  async takenOver(): Promise<void> {
    await this.changed((current) => ({ ...current, serving: current.building, building: null }));
  }

  async changed(next: (current: ProjectionDefinition) => ProjectionDefinition): Promise<void> {
    const { projections } = this.gateway.definitions;
    await projections.change(this.name, (current) => current && next(current), systemActor);
  }
}
