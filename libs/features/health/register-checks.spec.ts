import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { auditStream } from '#api';
import { systemActor, type Definitions } from '#registry';
import { Health } from '#http';
import { StoreUnavailableError } from '#store';
import { givenGateway, type GivenGateway } from '../../../apps/gateway/src/gateway.fixture.js';
import { GroupLagReader } from '#gateway-kit';
import { ProjectionLagReader } from '#features/projections';
import { MaterializerLagReader } from './materializer-lag-reader.js';
import { PipelineLagReader } from '#features/pipelines';
import { HealthHistory } from './health-history.js';
import { ProcessorLagReader } from './processor-lag-reader.js';
import { lagWithinLimit, registerChecks } from './register-checks.js';

let gateway: GivenGateway;
let health: Health;
let storeIsDown: boolean;
let processor: ProcessorLagReader;
let history: HealthHistory;

beforeEach(async () => {
  gateway = await givenGateway();
  health = new Health('0.0.0-spec');
  storeIsDown = false;
  const { log, definitions, topics } = gateway;
  const ping = () =>
    storeIsDown ? Promise.reject(new StoreUnavailableError('down')) : Promise.resolve(undefined);
  const lag = new MaterializerLagReader(log, definitions, topics);
  history = new HealthHistory();
  processor = new ProcessorLagReader(
    definitions,
    new ProjectionLagReader(new GroupLagReader(log), definitions, topics),
    new PipelineLagReader(new GroupLagReader(log), definitions, topics),
  );
  registerChecks(health, { log, store: { ping }, definitions, lag, processor, history });
});
afterEach(() => gateway.close());

const ready = async () => (await health.report('readiness')).healthy;
const well = async () => (await health.report('all')).healthy;

describe('the health of the gateway', () => {
  it("is ready and healthy with both engines, and includes the materializer's lag", async () => {
    await gateway.definitions.createStream({ stream: 'orders' }, systemActor);
    gateway.log.broker.write([{ topic: gateway.topicOf('orders'), key: 'k', value: 'v' }]);
    const audited = gateway.log.topics.get(gateway.topicOf(auditStream))?.end(0) ?? NaN;
    expect([await ready(), await well()]).toEqual([true, true]);
    expect((await health.report('all')).checks).toMatchObject({
      definitions: { status: 'ok', streams: 2, unreadable: 0, failed_projections: 0, failed_pipelines: 0 },
      materializer: { status: 'ok', lag_events: 1 + audited, lag_seconds: 0 },
      processor: { status: 'ok', lag_events: 0, lag_seconds: 0 },
    });
    expect(history.samples().at(-1)).toMatchObject({
      materializer: { lag_events: 1 + audited },
      processor: { lag_events: 0 },
      failed_jobs: 0,
    });
  });

  it('is unhealthy when events cannot be queried for more than a minute', async () => {
    health.register('materializer', async () =>
      lagWithinLimit({ lag_events: 3, lag_seconds: 61 }, 'queries'),
    );
    expect(await well()).toBe(false);
    expect((await health.report('all')).checks.materializer?.error).toContain('61 s (3 events)');
    health.register('materializer', async () =>
      lagWithinLimit({ lag_events: 3, lag_seconds: 59 }, 'queries'),
    );
    expect(await well()).toBe(true);
  });

  it('is unhealthy once the gateway no longer follows the definitions', async () => {
    const failure = new Error('broken');
    const definitions = Object.create(gateway.definitions, { failure: { value: failure } }) as Definitions;
    const { log, topics } = gateway;
    health = new Health('0.0.0-spec');
    registerChecks(health, {
      log,
      store: { ping: () => Promise.resolve(undefined) },
      definitions,
      lag: new MaterializerLagReader(log, definitions, topics),
      processor,
      history,
    });
    expect(await well()).toBe(false);
    expect((await health.report('all')).checks.definitions?.status).toBe('failing');
  });

  it('is unhealthy but ready when definitions have not been confirmed by the log for 30 seconds', async () => {
    const { log, topics } = gateway;
    for (const [ageMs, expected] of [
      [30_000, true],
      [30_600, false],
    ]) {
      const definitions = Object.create(gateway.definitions, { ageMs: { value: ageMs } }) as Definitions;
      const lag = new MaterializerLagReader(log, definitions, topics);
      health = new Health('0.0.0-spec');
      registerChecks(health, {
        log,
        store: { ping: () => Promise.resolve(undefined) },
        definitions,
        lag,
        processor,
        history,
      });
      expect([await ready(), await well()]).toEqual([true, expected]);
    }
    expect((await health.report('all')).checks.definitions_age?.error).toContain('for 31 s');
  });

  it('is ready for writes but unhealthy without ClickHouse', async () => {
    storeIsDown = true;
    expect([await ready(), await well()]).toEqual([true, false]);
  });

  it('is ready for reads but unhealthy without Kafka', async () => {
    gateway.log.down = true;
    expect([await ready(), await well()]).toEqual([true, false]);
  });

  it('is alive but not ready without both engines', async () => {
    storeIsDown = true;
    gateway.log.down = true;
    expect(await ready()).toBe(false);
    expect((await health.report('liveness')).healthy).toBe(true);
  });
});
