import { topicOf } from '#testkit';
import { describe, expect, it } from 'vitest';
import { freshStream, path, queryEvents, waitFor, writeEvent } from '../api.js';
import { underLoad } from '../breakable-system.js';
import { putIntoTopic } from '../read-topic.js';
import { system } from './one-system.js';

const rubbish = ['', 'hello', '{', '[]', '{"a":1}', 'null', '{"stream":null}', '\u0000\u0001'];

const lettersOf = async (stream: string) => {
  const answer = await system().stack.core.get(path('/api/v1/dead-letters', { limit: '1000' }));
  const { dead_letters } = answer.json<{ dead_letters: { stream: string; event: string }[] }>();
  return dead_letters.filter((letter) => letter.stream === stream);
};
const sql = (statement: string) => system().engines.sql(statement);

describe('given records that cannot be read', () => {
  it('when they are in the definitions topic, all processes continue and can be restarted (fault 17)', async () => {
    const { stack } = system();
    // The topic is compacted, so the broker itself refuses a record without a key.
    const keys = ['x', 'stream:', 'stream:orders', 'orders', 'stream/orders'];
    const messages = rubbish.flatMap((value) => keys.map((key) => ({ key, value })));
    await putIntoTopic(stack.brokers, stack.topics.definitions, messages);
    await underLoad(stack, async (driver) => {
      for (const app of stack.apps) await app.restart();
      await driver.untilAcknowledged(100);
    });
  });

  it('when they are among the events, they become dead letters and the other events are not affected (fault 17)', async () => {
    const { stack } = system();
    const stream = freshStream();
    const first = await writeEvent(stack.write, { stream, event_type: 't', entity_id: 'e', data: {} });
    await underLoad(
      stack,
      async (driver) => {
        for (const value of rubbish) {
          await putIntoTopic(stack.brokers, await topicOf(stack, stream), [
            { value, partition: first.partition },
          ]);
          await driver.untilAcknowledged(20);
        }
      },
      {},
    );
    await expect.poll(async () => (await lettersOf(stream)).length).toBe(rubbish.length);
  });

  it('when the dead letters cannot be written, no record is lost and the failure is reported (fault 17)', async () => {
    const { stack } = system();
    const stream = freshStream();
    const first = await writeEvent(stack.write, { stream, event_type: 't', entity_id: 'e', data: { n: 0 } });
    await queryEvents(stack.core, { stream }, waitFor([first]));
    await sql(`RENAME TABLE ${stack.database}.dead_letters TO ${stack.database}.hidden`);
    await putIntoTopic(stack.brokers, await topicOf(stack, stream), [
      { value: 'poison', partition: first.partition },
    ]);
    const after = await writeEvent(stack.write, { stream, event_type: 't', entity_id: 'e', data: { n: 1 } });
    const waiting = await stack.core.get(path('/api/v1/events/query', { stream }, waitFor([after])));
    expect(waiting.status).toBe(504);
    const { materializer } = stack;
    const well = async () => materializer.running && (await materializer.probe('/health')) === 200;
    await expect.poll(well).toBe(false);
    await expect.poll(() => materializer.log()).toMatch(/"level":"(warn|error|fatal)".*dead_letters/);
    await sql(`RENAME TABLE ${stack.database}.hidden TO ${stack.database}.dead_letters`);
    if (!materializer.running) materializer.launch();
    await expect
      .poll(
        async () => (await stack.core.get(path('/api/v1/events/query', { stream }, waitFor([after])))).status,
        { timeout: 120_000 },
      )
      .toBe(200);
    expect((await lettersOf(stream)).map(({ event }) => event)).toEqual(['poison']);
    expect((await queryEvents(stack.core, { stream })).events.map(({ data }) => data.n)).toEqual([0, 1]);
  });
});
