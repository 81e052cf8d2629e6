import { describe, expect, it } from 'vitest';
import type { PartitionCheckpoint } from '#store';
import { partitionProgress } from '../../../core/store/keyed-states.fixture.js';
import { compiledDefinition } from './compiled-definition.js';
import { PipelineGatewayFixture, minutes, spec } from './pipeline-gateway.fixture.js';

const given = new PipelineGatewayFixture();
const second = 1_000_000;
const at = (seconds: number) => `1970-01-01T00:00:0${seconds}.000000Z`;

/** Returns progress, by default of the source's first partition. */
function progress(owner: string, more: Partial<PartitionCheckpoint> = {}): PartitionCheckpoint {
  return partitionProgress({ owner, updated_at: second, ...more });
}

const save = (rows: PartitionCheckpoint[]) => given.gateway.store.pipelines.save([], rows);

/** Creates a pipeline with a window; returns its job, its keyed stage and the topic of the stage. */
async function givenWindow(): Promise<{ run: string; stage: string; topic: string }> {
  await given.define({ operators: minutes });
  const definition = given.definition!;
  const [stage] = compiledDefinition(definition)?.stages ?? [];
  const run = definition.run.id;
  return { run, stage: stage!.id, topic: given.gateway.topics.pipelineTopic(run, stage!.id) };
}

describe('the statistics of a pipeline', () => {
  it('count an event of the sources once, and its results in every stage', async () => {
    const { run, stage } = await givenWindow();
    const keyed = { stage, stream: '', updated_at: 3 * second };
    await save([
      progress(run, { processed: 5, dropped: 1, failed: 1 }),
      progress(run, { partition: 1, processed: 2, emitted: 1 }),
      progress(run, { ...keyed, processed: 5, emitted: 2, late: 3 }),
      progress('f'.repeat(24), { processed: 100 }),
    ]);
    expect(await given.get()).toMatchObject({
      ...{ processed: 7, emitted: 3, dropped: 1, late: 3, failed: 1, updated_at: at(3) },
    });
  });

  it('count the events of each operator over all partitions and stages, but not those of a former stage', async () => {
    const { run, stage } = await givenWindow();
    const emit = '/operators/2/emit';
    await save([
      progress(run, { steps: { [stage]: [5, 0, 1, 0, 0] } }),
      progress(run, {
        partition: 1,
        steps: { [stage]: [2, 0, 0, 0, 1], '/operators/0/filter': [9, 9, 0, 0, 0] },
      }),
      progress(run, {
        ...{ stage, stream: '' },
        steps: { [stage]: [0, 4, 0, 1, 0], [`${stage}/reduce`]: [4, 2, 0, 0, 0], [emit]: [2, 1, 0, 0, 1] },
      }),
      progress(run, { stage: 'replay', stream: '', steps: { [emit]: [1, 1, 0, 0, 0] } }),
      progress(run, { stage: 'ab'.repeat(8), stream: '', steps: { [emit]: [7, 7, 0, 0, 0] } }),
    ]);
    const { steps } = (await given.get()) as { steps: object[] };
    expect(steps).toEqual([
      { path: '/operators/0', operator: 'window', in: 7, out: 4, dropped: 1, late: 1, failed: 1 },
      { path: '/operators/1', operator: 'reduce', in: 4, out: 2, dropped: 0, late: 0, failed: 0 },
      { path: '/operators/2', operator: 'emit', in: 3, out: 2, dropped: 0, late: 0, failed: 1 },
    ]);
  });

  it('have since when deliveries are repeated, while a processor says so', async () => {
    const { run } = await givenWindow();
    const now = Date.now() * 1000;
    const row = (state: string, updated_at: number, next: number) =>
      progress(run, { stage: 'deliveries', stream: '', next, state, updated_at });
    const down = JSON.stringify({ since: second, answer: 'The receiver answered 503.' });
    await save([progress(run, { processed: 5 }), row(down, now, 1)]);
    const retrying = { since: at(1), last_answer: 'The receiver answered 503.' };
    expect(await given.get()).toMatchObject({ retrying, processed: 5, updated_at: at(1) });
    await given.send('POST', given.at('/pause'));
    expect(await given.get()).toMatchObject({ status: 'paused', retrying: null });
    await given.send('POST', given.at('/resume'));
    await save([row('', now, 2)]);
    expect(await given.get()).toMatchObject({ retrying: null });
    await save([row(down, now - 180 * second, 3)]);
    expect(await given.get()).toMatchObject({ retrying: null });
    const longer = JSON.stringify({ since: 0, answer: 'The receiver closed the connection.' });
    await save([
      row('', now, 4),
      { ...row(down, now, 4), partition: 7 },
      { ...row(longer, now, 4), partition: 9 },
    ]);
    expect(await given.get()).toMatchObject({ retrying: { since: at(0) } });
  });

  it('have the minimum watermark of all stages, once each has one', async () => {
    const { run, stage } = await givenWindow();
    await save([progress(run, { watermark: second })]);
    expect(await given.get()).toMatchObject({ watermark: null });
    const keyed = { stage, stream: '', next: 2 };
    await save([
      progress(run, { ...keyed, watermark: 7 * second }),
      progress(run, { ...keyed, partition: 1, watermark: 5 * second }),
    ]);
    expect(await given.get()).toMatchObject({ watermark: at(5) });
  });

  it('have the watermark of the sources when there is no window', async () => {
    await given.define(spec);
    const run = given.definition!.run.id;
    await save([progress(run, { watermark: 4 * second }), progress(run, { partition: 1 })]);
    expect(await given.get()).toMatchObject({ watermark: at(4) });
  });

  it('have the lag of the sources and the internal topics, and list these topics', async () => {
    const { run, topic } = await givenWindow();
    const { log, topics, topicOf } = given.gateway;
    const orders = topicOf('orders');
    const before = (await given.get())['lag'] as number;
    await log.admin.create(topic, { partitions: 2 });
    const replays = topics.pipelineReplayTopic(run);
    await log.admin.create(replays, { partitions: 1 });
    const producer = await log.producer();
    const three = (topic: string) =>
      ['a', 'b', 'c'].map((key) => ({ topic, key, value: '{}', partition: 0 }));
    await producer.append([...three(orders), ...three(topic), ...three(replays)]);
    const internal_topics = [
      { topic, stage: '/operators/0/window', partitions: 2 },
      { topic: replays, stage: '', partitions: 1 },
    ];
    await expect
      .poll(() => given.get(), { timeout: 3000 })
      .toMatchObject({ lag: before + 9, internal_topics });
    const group = log.broker.group(topics.pipelineGroup(run));
    for (const { partition, end } of await log.admin.offsets(topic)) group.commit({ topic, partition }, end);
    await expect.poll(() => given.get(), { timeout: 3000 }).toMatchObject({ lag: before + 6 });
  });

  it('exist for a definition that this version cannot compile, without its internal topics', async () => {
    await given.define();
    await given.changed((current) => ({
      ...{ ...current, version: 2, failure: 'cannot be compiled' },
      spec: { ...current.spec, operators: [{ teleport: {} }] },
    }));
    expect(await given.get()).toMatchObject({
      status: 'failed',
      watermark: null,
      internal_topics: [],
      steps: [],
    });
  });
});
