import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { faultSeed, SeededRandom, testsAll } from '#testkit';
import { freshStream, queryEvents, waitFor, writeEvent, writePatiently } from './api.js';
import { underLoad } from './breakable-system.js';
import { untilInSync, useThreeBrokers } from './three-brokers.js';

/** The kernel has written everything back, what is older than 3 s, or nothing yet. */
const writtenBackMs = [0, 3_000, Infinity];

describe.runIf(testsAll)('given three brokers that sync each append', () => {
  const system = useThreeBrokers({ 'log.flush.interval.messages': 1 });

  it('when all of them lose power at once, again and again, every acknowledged event is stored once (fault 22)', async () => {
    const { cluster, stack } = system();
    const random = new SeededRandom(faultSeed());
    await underLoad(stack, async (driver) => {
      for (const ms of writtenBackMs) {
        await untilInSync(stack);
        const lost = await cluster.loseAllPower({ random, writtenBackMs: ms });
        process.stderr.write(`three brokers lost ${lost} bytes\n`);
        await driver.untilAcknowledged(200);
      }
    });
  });
});

// Shows what the setting is for: three brokers in one place are one fault.
describe.runIf(testsAll)('given three brokers that leave the writing to the kernel', () => {
  const system = useThreeBrokers();

  it.each([
    ['nothing is lost after the kernel has written it', 0, 20],
    ['acknowledged events that were not stored yet are lost before', Infinity, 0],
  ])('when all of them lose power at once, %s (fault 23)', async (_, ms, left) => {
    const { cluster, stack } = system();
    const stream = freshStream('blackout');
    // Events of one entity are in one partition.
    const event = (event_type: string) => ({ stream, event_type, entity_id: 'e', data: {} });
    const first = await writeEvent(stack.core, event('first'));
    await queryEvents(stack.core, { stream }, waitFor([first]));
    await untilInSync(stack);
    await cluster.writeBack();

    await stack.materializer.stop();
    for (let i = 0; i < 20; i++) await writeEvent(stack.core, event('acknowledged'));
    await sleep(2_000);
    await cluster.loseAllPower({ random: new SeededRandom(faultSeed()), writtenBackMs: ms });
    await untilInSync(stack);
    await stack.materializer.launch().ready();

    const last = await writePatiently(stack.core, event('last'));
    const { events } = await queryEvents(stack.core, { stream, limit: '100' }, waitFor([last]));
    const count = (type: string) => events.filter(({ event_type }) => event_type === type).length;
    expect([count('first'), count('acknowledged'), count('last')]).toEqual([1, left, 1]);
  });
});
