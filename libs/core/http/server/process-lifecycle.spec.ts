import { expect, it } from 'vitest';
import { createLogger } from '#telemetry';
import { ProcessLifecycle, ShutdownWhileWaitingError } from './process-lifecycle.js';

const lifecycle = () => new ProcessLifecycle(createLogger({ name: 'spec', level: 'silent' }), 1);

it('the steps of the start run in the order of registration', async () => {
  const given = lifecycle();
  const steps: number[] = [];
  for (const n of [1, 2, 3]) given.onStart(async () => void steps.push(n));
  await given.start();
  expect(steps).toEqual([1, 2, 3]);
});

it('no step of the start runs after the shutdown has begun', async () => {
  const given = lifecycle();
  const steps: number[] = [];
  given.onStart(async () => {
    steps.push(1);
    await given.stop();
  });
  given.onStart(async () => void steps.push(2));
  await expect(given.start()).rejects.toThrow(ShutdownWhileWaitingError);
  expect(steps).toEqual([1]);
});

it('what was opened last closes first, also after a step that fails', async () => {
  const given = lifecycle();
  const steps: string[] = [];
  given.onStop('log', async () => void steps.push('log'));
  given.onStop('broken', () => Promise.reject(new Error('broken')));
  given.onStop('task', async () => void steps.push('task'));
  await given.stop();
  expect(steps).toEqual(['task', 'log']);
});
