import { pipelineKind } from '#features/pipelines/definition';
import { projectionKind } from '#features/projections/definition';
import { subscriptionKind } from '#features/subscriptions/definition';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { allStreams } from '#api';
import { TopicAndGroupNames } from '#event';
import { resourceKinds, openDefinitions, systemActor, type Definitions } from '#registry';
import { MemoryLog } from '#kafka/memory';
import { MemoryStore } from '#store/memory';
import type { PipelineSpec } from '#features/pipelines/computation';
import { WriteSettings } from '#writing';
import { Bulkhead, GroupLagReader, StreamReadAuthorizer, NewGenerationOrJobFactory } from '#gateway-kit';
import { WebhookAddressPolicy } from '#features/webhooks';
import { VisibleProjections } from '#features/projections';
import { PipelineResource } from './pipeline-resource.js';
import { PipelineReferenceChecker } from './pipeline-reference-checker.js';
import { PipelineLagReader } from './pipeline-lag-reader.js';
import { PipelineStatsReader } from './pipeline-stats-reader.js';
import { VisiblePipelines } from './visible-pipelines.js';

const topics = new TopicAndGroupNames('t.');
const changer = { actor: systemActor, access: allStreams };
const client = new AbortController().signal;

const from = (stream: string, to: string): PipelineSpec => ({
  ...{ source: { streams: [stream] }, from: 'beginning' },
  operators: [{ emit: { stream: to } }],
});

let log: MemoryLog;
let opened: Definitions[];

/** Returns a gateway with its own view of the definitions. */
async function gateway(): Promise<{ changes: PipelineResource; definitions: Definitions }> {
  const definitions = openDefinitions({
    log,
    names: topics,
    defaults: { partitions: 1 },
    kinds: [...resourceKinds, projectionKind, pipelineKind, subscriptionKind],
  });
  opened.push(definitions);
  await definitions.start();
  const streams = new StreamReadAuthorizer(definitions, { reached: () => Promise.resolve() });
  const projections = new VisibleProjections(definitions);
  const required = new PipelineReferenceChecker(definitions, projections, streams, new WriteSettings());
  const sources = new NewGenerationOrJobFactory(definitions, log, topics);
  const bulkhead = new Bulkhead({ concurrent: 1, queued: 10, waitMs: 1000 });
  const visible = new VisiblePipelines(definitions);
  return {
    definitions,
    changes: new PipelineResource(
      visible,
      definitions,
      new MemoryStore(),
      bulkhead,
      required,
      sources,
      new PipelineStatsReader(
        new MemoryStore(),
        new PipelineLagReader(new GroupLagReader(log), definitions, topics),
        bulkhead,
      ),
      new WebhookAddressPolicy([]),
    ),
  };
}

beforeEach(() => {
  log = new MemoryLog();
  opened = [];
});
afterEach(async () => {
  for (const definitions of opened) await definitions.close();
  await log.close();
});

describe('two pipelines that form a loop together and are defined at the same time', () => {
  it.each([1, 2])('do not both remain, with %i gateways', async (count) => {
    const one = await gateway();
    const two = count === 1 ? one : await gateway();
    for (const stream of ['a', 'b']) await one.definitions.createStream({ stream }, systemActor);
    await expect.poll(() => two.definitions.streams().length).toBe(one.definitions.streams().length);
    const both = await Promise.allSettled([
      one.changes.create({ input: { name: 'p', ...from('a', 'b') }, client }, changer),
      two.changes.create({ input: { name: 'q', ...from('b', 'a') }, client }, changer),
    ]);
    const refused = both.filter(({ status }) => status === 'rejected');
    expect(refused.length).toBeGreaterThan(0);
    for (const one of refused) expect(one).toMatchObject({ reason: { code: 'pipeline_loop' } });
    for (const { definitions } of [one, two])
      await expect.poll(() => definitions.pipelines.size).toBe(2 - refused.length);
  });

  it('by a change, restore the previous definition as a new version', async () => {
    const [one, two] = [await gateway(), await gateway()];
    for (const stream of ['a', 'b', 'c']) await one.definitions.createStream({ stream }, systemActor);
    await one.changes.create({ input: { name: 'p', ...from('a', 'c') }, client }, changer);
    await expect.poll(() => two.definitions.pipelines.size).toBe(1);
    const [changed, defined] = await Promise.allSettled([
      one.changes.replace('p', { input: from('a', 'b'), query: {}, client }, changer),
      two.changes.create({ input: { name: 'q', ...from('b', 'a') }, client }, changer),
    ]);
    expect([changed.status, defined.status]).toContain('rejected');
    const target = changed.status === 'rejected' ? 'c' : 'b';
    await expect
      .poll(() => two.definitions.pipelines.get('p')?.spec.operators)
      .toEqual([{ emit: { stream: target } }]);
    await expect.poll(() => one.definitions.pipelines.size).toBe(defined.status === 'rejected' ? 1 : 2);
  });
});
