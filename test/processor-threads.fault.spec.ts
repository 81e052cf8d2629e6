import { pathToFileURL } from 'node:url';
import { expect, it, vi } from 'vitest';
import { systemActor } from '#registry';
import { freshStream } from './api.js';
import { underLoad, useFaultySystem } from './breakable-system.js';
import { useDirectAccess } from './processing/direct-system-access.js';
import * as pipes from './processing/piped.js';
import { expectStates, project } from './processing/projection-under-test.js';
import { closeWindows } from './processing/stored.js';

const plant = pathToFileURL('dist/test/plant-busy.js').href;
const system = useFaultySystem({
  processors: 1,
  env: { NODE_OPTIONS: `--import=${plant}`, PROCESSOR_THREADS: '2' },
});
const behind = useDirectAccess(system);

async function untilTwoThreads(): Promise<void> {
  const { probeUrl } = system().stack.processors[0]!;
  const seen = async () => {
    const metrics = await (await fetch(new URL('/metrics', probeUrl))).text();
    expect(metrics).toContain('tributary_threads 2\n');
    const health = (await (await fetch(new URL('/health', probeUrl))).json()) as { checks: object };
    expect(health.checks).toMatchObject({ threads: { status: 'ok', running: 2 } });
  };
  await vi.waitFor(seen, { timeout: 60_000, interval: 500 });
}

it('a processor with two threads loses nothing and counts nothing twice when it is killed, and stops in order', async () => {
  const { stack } = system();
  const { definitions } = behind();
  const [processor] = stack.processors;
  const streams = [freshStream('load'), freshStream('load')];
  const piped = { streams, copies: freshStream('copies'), windows: freshStream('windows') };
  for (const stream of [...streams, piped.copies, piped.windows])
    await definitions.createStream({ stream }, systemActor);
  const projected = await project(behind(), { name: freshStream('by'), by: 'entity_id', streams });
  await pipes.pipeBoth(behind(), piped);
  const happen = async () => {
    await untilTwoThreads();
    await processor!.restart('SIGKILL');
    await untilTwoThreads();
    await processor!.restart('SIGTERM');
  };
  await underLoad(stack, happen, { streams, eventsPerSecond: 75 });
  await closeWindows(stack, streams);
  await expectStates(behind(), projected);
  await pipes.expectPiped(behind(), piped);
  expect(processor!.log()).toContain('a further thread starts');
  expect(processor!.log()).not.toContain('"level":"fatal"');
});
