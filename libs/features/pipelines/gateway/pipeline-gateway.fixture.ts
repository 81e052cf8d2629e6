import { afterAll, beforeAll, beforeEach } from 'vitest';
import { systemActor } from '#registry';
import { type PipelineDefinition } from '#features/pipelines/definition';
import { givenGateway, type GivenGateway } from '../../../../apps/gateway/src/gateway.fixture.js';

export const path = '/api/v1/pipelines';

/** The default definition of specs: from `orders` to `large`. */
export const spec = {
  source: { streams: ['orders'] },
  operators: [{ filter: 'event.data.amount > 100.0' }, { emit: { stream: 'large' } }],
};

/** Returns a definition that reads `streams` and writes to `targets`. */
export const between = (streams: string[], ...targets: string[]) => ({
  source: { streams },
  operators: targets.map((stream) => ({ emit: { stream } })),
});

export const minutes = [
  { window: { tumbling: '1m', key: 'event.data.currency', lateness: '10s' } },
  { reduce: { orders: { op: 'count' } } },
  { emit: { stream: 'minutes' } },
];

/** HTTP method of a request that a spec sends. */
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A gateway with the streams `orders` and `refunds`, and a new pipeline name for each test. */
export class PipelineGatewayFixture {
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

  /** Returns the path of this test's pipeline, or a path below it. */
  at(part = ''): string {
    return `${path}/${this.name}${part}`;
  }

  async get(): Promise<Record<string, unknown>> {
    return (await this.send('GET', this.at())).json<Record<string, unknown>>();
  }

  get definition(): PipelineDefinition | undefined {
    return this.gateway.definitions.pipelines.get(this.name);
  }

  async changed(next: (current: PipelineDefinition) => PipelineDefinition): Promise<void> {
    const { pipelines } = this.gateway.definitions;
    await pipelines.change(this.name, (current) => current && next(current), systemActor);
  }
}
