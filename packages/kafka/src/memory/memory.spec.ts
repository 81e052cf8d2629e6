import { describeLostEnds } from '../contract/lost-ends.js';
import { describeLogContract } from '../log.contract.js';
import { MemoryLog } from './memory-log.js';

describeLogContract('MemoryLog', () => new MemoryLog());

describeLostEnds('MemoryLog', () => {
  const log = new MemoryLog();
  const ends = new Map<string, number>();
  return {
    log,
    keep: async (topic) => void ends.set(topic, log.topics.get(topic)!.end(0)),
    keepCommits: async () => undefined,
    lose: async (topic) => log.topics.get(topic)!.loseEnd(0, ends.get(topic)!),
  };
});
