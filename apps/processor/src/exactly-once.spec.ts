import fc from 'fast-check';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import type { AsOfTime } from '#dataflow';
import {
  firstTime,
  ProcessorTestBed,
  revenue,
  SimulatedProjections,
  topics,
  type SpecEvent,
} from './processor.fixture.js';

const events: fc.Arbitrary<SpecEvent[]> = fc.array(
  fc.record({
    // The range of event ids is small, so that some ids repeat.
    id: fc.nat(120),
    entity: fc.constantFrom('a', 'b', 'c', 'd', null),
    data: fc.record({
      currency: fc.constantFrom('EUR', 'USD', 'CHF', 'JPY', 'GBP', null, ''),
      amount: fc.oneof({ weight: 6, arbitrary: fc.nat(1000) }, fc.constantFrom('much', null, 0.1)),
    }),
  }),
  { maxLength: 30 },
);

type Action =
  | { do: 'write'; events: SpecEvent[] }
  | { do: 'kill'; atStep: number }
  | { do: 'expire'; part: number }
  | { do: 'stop' | 'start' | 'wait' | 'ask' };

const actions: fc.Arbitrary<Action[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('write' as const), events }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('kill' as const), atStep: fc.nat(12) }) },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('expire' as const), part: fc.constantFrom(0.3, 0.9, 1) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constantFrom('stop' as const, 'start' as const, 'wait' as const, 'ask' as const),
      }),
    },
  ),
  { maxLength: 14 },
);

/** Runs a script of steps with at most two processors at a time. A processor can die at any step. */
async function play(
  world: ProcessorTestBed,
  script: readonly Action[],
  {
    start,
    ask,
  }: {
    start: () => SimulatedProjections;
    ask?: (running: readonly SimulatedProjections[]) => Promise<void>;
  },
): Promise<void> {
  const running: SimulatedProjections[] = [];
  for (const action of script) {
    if (action.do === 'write') await world.write(action.events);
    else if (action.do === 'expire') {
      await world.materialize();
      world.expire(action.part);
    } else if (action.do === 'start' && running.length < 2) running.push(start());
    else if (action.do === 'ask') await ask?.(running);
    else if (action.do === 'stop') await running.shift()?.processor.close(1000);
    else if (action.do === 'kill') {
      const one = running.shift() ?? start();
      let left = action.atStep;
      one.before = () => void (left-- <= 0 && (one.dead = true));
      await sleep(3);
      await one.kill();
    }
    await sleep(1);
  }
  await Promise.all(running.map((one) => one.kill()));
}

it('yields the states and counts of a single fold for any batches, crashes, rebalances, retentions and bounds', async () => {
  await fc.assert(
    fc.asyncProperty(
      actions,
      fc.record({
        keys: fc.constantFrom(1, 3, 1000),
        unsaved: fc.constantFrom(1, 4, 500),
        interval: fc.nat(3),
      }),
      async (script, { keys, unsaved, interval }) => {
        const world = await ProcessorTestBed.make();
        const build = await world.define('revenue', world.build(revenue));
        const start = () =>
          new SimulatedProjections(world, {
            cache: { keys, weight: 1e9 },
            unsaved: { keys: unsaved, weight: 1e9 },
            saveIntervalMs: interval,
          });
        await play(world, script, { start });
        const last = start();
        const { states, ...counted } = world.folded(build);
        await vi.waitFor(
          async () => {
            expect(await world.isThrough(build)).toBe(true);
            expect(world.projection('revenue')?.serving?.id).toBe(build.id);
          },
          { timeout: 20_000, interval: 2 },
        );
        expect(await world.states(build)).toEqual(states);
        expect(await world.counted(build)).toEqual(counted);
        expect(last.failures).toEqual([]);
        await last.kill();
        await world.close();
      },
    ),
    { numRuns: 60, endOnFailure: true },
  );
});

it('the state of a time is the same whenever it is asked for, and each event is once in the history of its key', async () => {
  await fc.assert(
    fc.asyncProperty(actions, fc.constantFrom(1, 3, 1000), async (script, keys) => {
      const world = await ProcessorTestBed.make();
      const build = await world.define('revenue', world.build({ ...revenue, history: '3660d' }));
      const start = () => new SimulatedProjections(world, { cache: { keys, weight: 1e9 } });
      const ask = (running: readonly SimulatedProjections[]) => {
        for (const { processor } of running) processor.flushSoon(topics.projectionGroup(build.id));
        return sleep(4);
      };
      const answers: { asOf: AsOfTime; answer: Record<string, string> }[] = [];
      const record = async (running: readonly SimulatedProjections[]) => {
        await ask(running);
        const known = await world.reached(build);
        for (const time of [known, firstTime + 20, firstTime + 70]) {
          const asOf = { time, known };
          if (known > -Infinity) answers.push({ asOf, answer: await world.statesAsOf(build, asOf) });
        }
      };
      await play(world, script, { start, ask: record });
      const last = start();
      await vi.waitFor(
        async () => {
          expect(await world.isThrough(build)).toBe(true);
          await ask([last]);
          expect(await world.reached(build)).toBeGreaterThan(firstTime);
        },
        { timeout: 20_000, interval: 2 },
      );
      for (const { asOf, answer } of answers) expect(await world.statesAsOf(build, asOf)).toEqual(answer);
      const all = await world.statesAsOf(build, { time: Infinity, known: Infinity });
      expect(all).toEqual(await world.mergedStates(build));
      expect(last.failures).toEqual([]);
      await last.kill();
      await world.close();
    }),
    { numRuns: 60, endOnFailure: true },
  );
});
