import { pipelineKind } from '#features/pipelines/definition';
import { projectionKind } from '#features/projections/definition';
import { subscriptionKind } from '#features/subscriptions/definition';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFINITIONS, LOG, PRODUCER, STORE } from '#app';
import { TopicAndGroupNames } from '#event';
import {
  createContext,
  createHttpApp,
  isScope,
  type HttpApp,
  type ProcessContext,
  type RouteAccessRule,
} from '#http';
import { MemoryLog } from '#kafka/memory';
import { openDefinitions, resourceKinds, systemActor } from '#registry';
import { MemoryStore } from '#store/memory';
import { metricsText } from '#telemetry';
import { features as gatewayFeatures } from '../../apps/gateway/src/features.js';
import { givenGateway, type GivenGateway } from '../../apps/gateway/src/gateway.fixture.js';
import { ProcessorConfig } from '../../apps/processor/src/processor-config.js';
import { features as processorFeatures } from '../../apps/processor/src/features.js';
import { ProcessorModule } from '../../apps/processor/src/processor.module.js';
import { createNestWith } from '../../libs/core/app/create-nest-with.fixture.js';
import { openTestStore } from '../../libs/core/store/clickhouse/test-store.js';
import { sample, SampleTask } from './sample/sample-feature.js';

describe('the gateway with one more feature in its list', () => {
  let gateway: GivenGateway;
  beforeAll(async () => {
    gateway = await givenGateway({ features: [...gatewayFeatures, sample] });
  });
  afterAll(() => gateway.close());

  it('keeps its definitions, and audits their changes', async () => {
    const { colors } = gateway.definitions;
    await colors.change('first', () => ({ name: 'first', color: 'red' }), systemActor);
    expect(colors.all()).toEqual([{ name: 'first', color: 'red' }]);
    const wrong = colors.change('other', () => ({ name: 'other', color: 'pink' }), systemActor);
    await expect(wrong).rejects.toThrow('color');
  });

  it('serves its endpoint on both ports, on the query port with a key', async () => {
    const url = '/api/v1/samples/first';
    expect((await gateway.core.instance.inject({ url })).json()).toEqual({ name: 'first', color: 'red' });
    expect((await gateway.query.instance.inject({ url })).statusCode).toBe(401);
    const authorization = gateway.bearer['events:read'];
    expect((await gateway.query.instance.inject({ url, headers: { authorization } })).statusCode).toBe(200);
  });

  it('answers with its problem and its setting, documents the endpoint, and exports its metric', async () => {
    const answer = await gateway.core.instance.inject({ url: '/api/v1/samples/other' });
    expect(answer.json()).toMatchObject({
      status: 404,
      code: 'sample_not_found',
      detail: 'There is no sample other. Ask for another one.',
    });
    const unnamed = await gateway.core.instance.inject({ url: '/api/v1/samples/17' });
    expect(unnamed.json()).toMatchObject({ status: 400, code: 'invalid_request' });
    const document = (await gateway.core.instance.inject({ url: '/openapi.json' })).json<{
      paths: Record<string, object>;
      components: { schemas: { Problem: { properties: { code: { enum: string[] } } } } };
    }>();
    expect(Object.keys(document.paths)).toContain('/api/v1/samples/{name}');
    expect(document.components.schemas.Problem.properties.code.enum).toContain('sample_not_found');
    expect(await metricsText()).toContain('tributary_sample_reads_total');
  });

  it('has no route without a scope or `Public` on the query port', () => {
    const undeclared = gateway.routes.query.filter(({ config }) => {
      const access = (config ?? {}) as RouteAccessRule;
      return !access.public && !isScope(access.scope ?? '');
    });
    expect(undeclared.map(({ url }) => url)).toEqual([]);
    expect(gateway.routes.query.map(({ url }) => url)).toContain('/api/v1/samples/:name');
  });
});

describe('the processor with one more feature in its list', () => {
  let app: HttpApp;
  let context: ProcessContext<ProcessorConfig>;
  beforeAll(async () => {
    const config = Object.assign(new ProcessorConfig(), { LOG_LEVEL: 'silent', KAFKA_TOPIC_PREFIX: 'spec.' });
    context = createContext({ name: 'processor', config, version: '1' });
    const log = new MemoryLog();
    const names = new TopicAndGroupNames('spec.');
    const definitions = openDefinitions({
      log,
      names,
      defaults: { partitions: 1 },
      kinds: [...resourceKinds, projectionKind, pipelineKind, subscriptionKind],
    });
    await definitions.start();
    app = await createHttpApp({
      context,
      module: ProcessorModule.with(context, [...processorFeatures, sample]),
      create: createNestWith([
        [LOG, log],
        [PRODUCER, await log.producer()],
        [DEFINITIONS, definitions],
        [STORE, new MemoryStore()],
      ]),
    });
  });
  afterAll(() => app.nest.close());

  it('starts its task with the others, and closes it before what it uses', async () => {
    const task = app.nest.get<SampleTask>(SampleTask, { strict: false });
    expect(task.state).toBe('new');
    await context.lifecycle.start();
    expect(task.state).toBe('running');
    await context.lifecycle.stop();
    expect(task.state).toBe('closed');
  });
});

it('its table is created with those of the core', async () => {
  const test = await openTestStore({ migrations: ['test/features/sample/migrations'] });
  const rows = await test.engine.query({ query: 'SELECT count() AS n FROM samples', format: 'JSONEachRow' });
  expect(await rows.json()).toEqual([{ n: 0 }]);
  await test.close();
});
