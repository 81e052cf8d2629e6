import { afterAll, beforeAll, beforeEach } from 'vitest';
import { systemActor, type ProjectionDefinition } from '#registry';
import { givenGateway, type GivenGateway } from '../gateway.fixture.js';

export const path = '/api/v1/projections';

const fields = { orders: { op: 'count' }, revenue: { op: 'sum', value: 'event.data.amount' } };

/** What specs define, if they say no more. */
export const spec = { source: { streams: ['orders'] }, key: 'event.data.currency', fields };

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A gateway with the streams `orders` and `refunds`, and for each test the name of a projection. */
export class GivenProjections {
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

  /** On the core port. */
  send(method: Method, url: string, payload?: object) {
    return this.gateway.core.instance.inject({ method, url, ...(payload && { payload }) });
  }

  define(more: object = {}) {
    return this.send('POST', path, { name: this.name, ...spec, ...more });
  }

  /** The address of this test's projection, or what is below it. */
  at(part = ''): string {
    return `${path}/${this.name}${part}`;
  }

  async get(): Promise<Record<string, unknown>> {
    return (await this.send('GET', this.at())).json<Record<string, unknown>>();
  }

  get definition(): ProjectionDefinition | undefined {
    return this.gateway.definitions.projections.get(this.name);
  }

  /** What a processor does when a build has caught up. */
  async takenOver(): Promise<void> {
    await this.changed((current) => ({ ...current, serving: current.building, building: null }));
  }

  async changed(next: (current: ProjectionDefinition) => ProjectionDefinition): Promise<void> {
    const { projections } = this.gateway.definitions;
    await projections.change(this.name, (current) => current && next(current), systemActor);
  }
}
