import { describe, expect, it } from 'vitest';
import type { PipelineEvent } from '#features/pipelines/computation';
import { recordOf, uuid } from '../pipelines.fixture.js';
import { emittedId, emittedMetadata, type JobIdentity } from './emitted-record.js';

const run: JobIdentity = { name: 'p', version: 3, id: 'a', streams: () => [], sourceIds: '', idOf: () => '' };
const added = (id: number, stream = 'orders') =>
  `"pipeline":"p","pipeline_version":3,"source_stream":"${stream}","source_event_id":"${uuid(id)}"}`;

function flowOf(metadata: string, { id = 1, stream = 'orders' } = {}): PipelineEvent {
  const event = { ...recordOf({ id, metadata }), stream, partition: 0, offset: 7 };
  return { event, origin: { stream, partition: 0, offset: 7, path: '' } };
}

describe('the metadata of an emitted event', () => {
  it.each([
    ['{}', `{${added(1)}`],
    [' { } ', `{${added(1)}`],
    ['{"n":1.50}', `{"n":1.50,${added(1)}`],
    [' {"n":9007199254740993} ', ` {"n":9007199254740993,${added(1)}`.trim()],
  ])('adds the pipeline and the source event to %s, whose text stays', (before, after) => {
    expect(emittedMetadata(flowOf(before), run)).toBe(after);
  });

  it('replaces the members of an earlier pipeline', () => {
    const before = '{"pipeline":"first","pipeline_version":9,"source_stream":"s","trace":"t"}';
    expect(JSON.parse(emittedMetadata(flowOf(before), run))).toEqual({
      ...{ pipeline: 'p', pipeline_version: 3, source_stream: 'orders', source_event_id: uuid(1) },
      trace: 't',
    });
  });

  it('keeps exact numbers of its own beside replaced members', () => {
    const before = '{"pipeline":"first","n":9007199254740993,"big":1e400}';
    expect(emittedMetadata(flowOf(before), run)).toMatch(
      /^\{"n":9007199254740993,"big":1e\+?400,"pipeline":"p",/,
    );
  });

  it('names the source of each event, and the new version of a definition', () => {
    expect(emittedMetadata(flowOf('{}', { id: 2 }), run)).toBe(`{${added(2)}`);
    expect(emittedMetadata(flowOf('{}', { id: 3, stream: 'returns' }), run)).toBe(`{${added(3, 'returns')}`);
    expect(emittedMetadata(flowOf('{}', { id: 3, stream: 'returns' }), { ...run, version: 4 })).toBe(
      `{${added(3, 'returns').replace(':3', ':4')}`,
    );
  });

  it('of a window result names no source', () => {
    const { event, origin } = flowOf('{"source_events":5}');
    expect(emittedMetadata({ event: { ...event, event_id: '' }, origin }, run)).toBe(
      '{"source_events":5,"pipeline":"p","pipeline_version":3}',
    );
  });
});

describe('the id of a missing event', () => {
  const idOf = (origin: object, more: Partial<JobIdentity> = {}) => {
    const stream = { stream: 'orders', partition: 0, offset: 7, path: '', expected: 's' };
    const names = { sourceIds: 'orders#1,payments#1', idOf: (name: string) => `${name}#1` };
    return emittedId({ ...run, ...names, ...more }, { ...stream, ...origin }, '/operators/1/emit');
  };

  it('does not depend on the job, nor on other streams that it reads', () => {
    expect(idOf({})).toBe(idOf({}, { id: 'b', version: 9, sourceIds: 'orders#1' }));
    expect(idOf({})).not.toBe(idOf({}, { idOf: () => 'orders#2' }));
  });

  it.each([{ stream: '', path: 'w:0:k' }, { path: 's:payments/0/3' }])(
    'depends on all of them if it comes from several events: %j',
    (origin) => {
      expect(idOf(origin)).toBe(idOf(origin, { streams: () => ['others'] }));
      expect(idOf(origin)).not.toBe(idOf(origin, { sourceIds: 'orders#1,payments#2' }));
    },
  );
});
