import { pipelineKind } from '#features/pipelines/definition';
import { projectionKind } from '#features/projections/definition';
import { subscriptionKind } from '#features/subscriptions/definition';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { TopicAndGroupNames } from '#event';
import { MemoryLog } from '#kafka/memory';
import {
  resourceKinds,
  openDefinitions,
  schemaName,
  systemActor,
  type Definitions,
  type SchemaSubject,
} from '#registry';
import type { AnalystViews } from './clickhouse/analyst-sql.js';
import { createLogger } from '#telemetry';
import { ViewPublisher } from './view-publisher.js';

let definitions: Definitions;
let published: AnalystViews[];
let fails: boolean;
let publisher: ViewPublisher;

beforeEach(async () => {
  published = [];
  fails = false;
  definitions = openDefinitions({
    log: new MemoryLog(),
    names: new TopicAndGroupNames('t.'),
    defaults: { partitions: 1 },
    kinds: [...resourceKinds, projectionKind, pipelineKind, subscriptionKind],
  });
  await definitions.start();
  publisher = new ViewPublisher({
    sql: {
      publish: (views) => {
        published.push(views);
        return fails ? Promise.reject(new Error('refused')) : Promise.resolve();
      },
    },
    definitions,
    logger: createLogger({ name: 'test', level: 'silent' }),
    ...{ settleMs: 5, compareMs: 50, retryMs: 5 },
  });
});
afterEach(() => {
  publisher.close();
  return definitions.close();
});

const namesOf = () => published.at(-1)?.eventTypes.map(({ view }) => view);

async function schema(stream: string): Promise<void> {
  await definitions.createStream({ stream }, systemActor);
  const subject: SchemaSubject = {
    ...{ stream, event_type: 'placed', compatibility: 'none', mode: 'enforce', retired: false },
    versions: [{ version: 1, schema: { properties: { amount: {} } }, created_at: '2026-11-21T04:00:00Z' }],
  };
  await definitions.schemas.change(schemaName(stream, 'placed'), () => subject, systemActor);
}

it('publishes the views of the definitions at the start, and after each change', async () => {
  await schema('orders');
  publisher.start();
  await vi.waitFor(() => expect(namesOf()).toEqual(['orders__placed']));
  await schema('payments');
  await vi.waitFor(() => expect(namesOf()).toEqual(['orders__placed', 'payments__placed']));
});

it('publishes even while changes continue', async () => {
  publisher.start();
  await vi.waitFor(() => expect(published.length).toBeGreaterThan(0));
  const before = published.length;
  for (let i = 0; published.length < before + 3 && i < 1_000; i++)
    await definitions.createStream({ stream: `s-${i}` }, systemActor);
  expect(published.length).toBeGreaterThanOrEqual(before + 3);
});

it('compares views without a change, and tries again after a failure', async () => {
  fails = true;
  publisher.start();
  await vi.waitFor(() => expect(published.length).toBeGreaterThan(2));
  fails = false;
  const before = published.length;
  await vi.waitFor(() => expect(published.length).toBeGreaterThan(before + 1));
});
