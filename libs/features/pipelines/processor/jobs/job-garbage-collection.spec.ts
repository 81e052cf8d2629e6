import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLogger } from '#telemetry';
import { compilePipeline, type PipelineSpec, replayStage } from '#features/pipelines/computation';
import { partitionProgress, stateRow } from '../../../../core/store/keyed-states.fixture.js';
import { PipelineTestBed, topics } from '../pipelines.fixture.js';
import { collectJobs } from './job-garbage-collection.js';

const spec: PipelineSpec = {
  source: { streams: ['orders'] },
  operators: [{ dedupe: { key: 'event.entity_id', within: '1m' } }, { emit: { stream: 'out' } }],
  from: 'beginning',
};
const stage = compilePipeline(spec).stages[0]!.id;
const other = 'ab'.repeat(8);

let world: PipelineTestBed;
let now: number;
let removal: ReturnType<typeof collectJobs>;

beforeEach(async () => {
  world = await PipelineTestBed.make();
  now = 0;
  removal = collectJobs({
    ...{ definitions: world.definitions, writer: world.store.pipelines, admin: world.log.admin, topics },
    partitions: () => [],
    logger: createLogger({ name: 'test', level: 'silent' }),
    onFailure: (error) => {
      throw error;
    },
    patienceMs: 1000,
    now: () => now,
  });
});
afterEach(() => world.close());

const topicOf = (run: string, of: string) =>
  of === replayStage ? topics.pipelineReplayTopic(run) : topics.pipelineTopic(run, of);

async function given(run: string, stages: readonly string[]): Promise<void> {
  for (const of of stages) {
    await world.log.admin.create(topicOf(run, of), { partitions: 1 });
    const place = { owner: run, stage: of, stream: '' };
    await world.store.pipelines.save(
      [stateRow({ ...place, key: 'a', closes_at: 1 })],
      [partitionProgress(place)],
    );
  }
}

const left = async () => ({
  topics: (await world.log.admin.list(topics.prefix)).filter((name) => topics.pipelineJobOf(name)),
  stages: (await world.store.pipelines.progress(await world.store.pipelines.owners())).map(
    (one) => one.stage,
  ),
});

it('removes a job and its topics when no definition has referred to it for some time', async () => {
  const { run } = await world.define('p', spec);
  await given(run.id, [stage, replayStage]);
  await removal.round();
  now += 5000;
  await removal.round();
  const own = [stage, replayStage];
  expect(await left()).toEqual({ topics: own.map((of) => topicOf(run.id, of)), stages: own });
  await world.define('p', spec, { reset: true });
  await removal.round();
  now += 999;
  await removal.round();
  expect((await left()).stages).toEqual(own);
  now += 1;
  await removal.round();
  expect(await left()).toEqual({ topics: [], stages: [] });
});

it('removes a job and its consumer group only after the group has no members', async () => {
  const { run } = await world.define('p', spec);
  await given(run.id, [stage]);
  const topic = topics.pipelineTopic(run.id, stage);
  const group = topics.pipelineGroup(run.id);
  const handler = { assigned: async () => 0, batch: async () => undefined, revoked: () => undefined };
  const member = world.log.consumer({ group, handler, onCrash: () => undefined });
  const source = world.topicOf('orders');
  await member.subscribe([source]);
  await vi.waitFor(async () => expect(await member.commit(source, 0, 1)).toBe(true));
  await world.define('p', spec, { reset: true });
  await removal.round();
  now += 1000;
  await removal.round();
  expect(await left()).toEqual({ topics: [topic], stages: [stage] });
  await member.close();
  await removal.round();
  expect(await left()).toEqual({ topics: [], stages: [] });
  expect(await world.log.admin.committed(group, source)).toEqual(new Map());
});

it('removes a stage that is no longer in its definition, and keeps the others', async () => {
  const { run } = await world.define('p', spec);
  await given(run.id, [stage, other]);
  await removal.round();
  now += 1000;
  await removal.round();
  expect(await left()).toEqual({ topics: [topics.pipelineTopic(run.id, stage)], stages: [stage] });
});
