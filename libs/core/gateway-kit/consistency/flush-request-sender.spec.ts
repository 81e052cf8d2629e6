import { expect, it } from 'vitest';
import { TopicAndGroupNames } from '#event';
import { createLogger } from '#telemetry';
import { KafkaFlushRequestSender } from './flush-request-sender.js';

const logger = createLogger({ name: 'test', level: 'silent' });
const topics = new TopicAndGroupNames('spec.');

it('sends at most so many requests at a time, and goes on after lost ones', async () => {
  const ends: ((error?: Error) => void)[] = [];
  const append = () =>
    new Promise<never[]>((resolve, reject) => {
      ends.push((error) => (error ? reject(error) : resolve([])));
    });
  const sender = new KafkaFlushRequestSender({ producer: { append }, topics, logger }, 2);
  for (let i = 0; i < 5; i++) sender.ask({ group: 'g', topic: 't' });
  expect(ends).toHaveLength(2);
  ends[0]?.(new Error('the log is away'));
  ends[1]?.();
  await new Promise(setImmediate);
  sender.ask({ group: 'g', topic: 't' });
  expect(ends).toHaveLength(3);
});
