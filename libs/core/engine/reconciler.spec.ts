import { beforeEach, expect, it, vi } from 'vitest';
import { Reconciler, type DefinitionRunner } from './reconciler.js';

let desired: Map<string, string>;
let steps: string[];
let failures: unknown[];
let changed: () => void;
/** Lets the stopping host leave its group. */
let leave: () => void;
let reconciler: Reconciler<string, DefinitionRunner<string>>;

beforeEach(() => {
  desired = new Map();
  [steps, failures] = [[], []];
  reconciler = new Reconciler({
    definitions: { onChange: (listener) => ((changed = listener), () => (changed = () => undefined)) },
    desired: () => desired,
    make: (_, id) => ({
      follow: async (one) => void steps.push(`${id} follows ${one}`),
      stop: async () => {
        await new Promise<void>((resolve) => (leave = resolve));
        steps.push(`${id} left`);
      },
    }),
    stopping: (_, id) => steps.push(`${id} stops`),
    onFailure: (error) => failures.push(error),
  });
  desired.set('a', 'one');
  reconciler.start();
});

it('runs a host for each desired definition, and passes each change to it', () => {
  desired = new Map([
    ['a', 'two'],
    ['b', 'one'],
  ]);
  changed();
  expect(steps).toEqual(['a follows one', 'a follows two', 'b follows one']);
  expect([...reconciler]).toHaveLength(2);
});

it('stops a host once when it is no longer desired, and runs it again only after it has left its group', async () => {
  desired = new Map();
  changed();
  desired = new Map([['a', 'again']]);
  changed();
  expect(steps).toEqual(['a follows one', 'a stops']);
  leave();
  await vi.waitFor(() => expect(steps.slice(2)).toEqual(['a left', 'a follows again']));
});

it('reports an error of reading the definitions', () => {
  desired = undefined as unknown as Map<string, string>;
  changed();
  expect(failures).toHaveLength(1);
});

it('closes when all hosts have left, and ignores further changes', async () => {
  const closed = reconciler.close(new Promise(() => undefined));
  desired = new Map([['b', 'one']]);
  changed();
  leave();
  await closed;
  expect(steps).toEqual(['a follows one', 'a left']);
});
