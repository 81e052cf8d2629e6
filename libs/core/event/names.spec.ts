import { describe, expect, it } from 'vitest';
import { streamNamePattern, TopicAndGroupNames } from './names.js';

const run = '0123456789abcdef01234567';
const stage = '0123456789abcdef';
const kafkaCharacters = 249;

describe('the internal topics of a pipeline', () => {
  const names = new TopicAndGroupNames('x'.repeat(30));
  const topics = [names.pipelineTopic(run, stage), names.pipelineReplayTopic(run)];

  it('differ for each job and stage, and have valid names for Kafka', () => {
    expect(new Set([...topics, names.pipelineGroup(run)]).size).toBe(3);
    for (const topic of topics) {
      expect(topic.length).toBeLessThanOrEqual(kafkaCharacters);
      expect(topic).toMatch(/^[A-Za-z0-9._-]+$/);
    }
  });

  it('are distinct from the topics of streams', () => {
    for (const topic of topics) expect(names.streamOf(topic)).toBeUndefined();
    const stream = `pipeline.${run}.${stage}`;
    expect(stream).toMatch(streamNamePattern);
    expect(names.pipelineJobOf(names.ofStream(`${stream}#1`))).toBeUndefined();
  });

  it('identify their job, within their installation', () => {
    for (const topic of topics) expect(names.pipelineJobOf(topic)).toBe(run);
    for (const topic of topics) expect(new TopicAndGroupNames('x.').pipelineJobOf(topic)).toBeUndefined();
    expect(names.pipelineJobOf(names.definitions)).toBeUndefined();
    expect(names.pipelineJobOf(`${names.pipelineGroup(run)}.more.${stage}`)).toBeUndefined();
  });

  it('are derived only from valid ids', () => {
    expect(() => names.pipelineTopic(run, 'replay')).toThrow(RangeError);
    expect(() => names.pipelineTopic('orders', stage)).toThrow(RangeError);
    expect(() => names.pipelineGroup(`${run}\n`)).toThrow(RangeError);
  });
});
