import { beforeEach, expect, it, vi } from 'vitest';
import { Reconciler, type Reconciled } from './reconciler.js';

let desired: Map<string, string>;
let steps: string[];
let failures: unknown[];
let changed: () => void;
/** Lets those leave that are stopping. */
let leave: () => void;
let reconciler: Reconciler<string, Reconciled<string>>;

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

it('runs what is desired, and has it follow each change', () => {
  desired = new Map([
    ['a', 'two'],
    ['b', 'one'],
  ]);
  changed();
  expect(steps).toEqual(['a follows one', 'a follows two', 'b follows one']);
  expect([...reconciler]).toHaveLength(2);
});

it('stops once what is no longer desired, and runs it again only when it has left its group', async () => {
  desired = new Map();
  changed();
  desired = new Map([['a', 'again']]);
  changed();
  expect(steps).toEqual(['a follows one', 'a stops']);
  leave();
  await vi.waitFor(() => expect(steps.slice(2)).toEqual(['a left', 'a follows again']));
});

it('says what it cannot read from the definitions', () => {
  desired = undefined as unknown as Map<string, string>;
  changed();
  expect(failures).toHaveLength(1);
});

it('closes when all have left, and follows nothing more', async () => {
  const closed = reconciler.close(new Promise(() => undefined));
  desired = new Map([['b', 'one']]);
  changed();
  leave();
  await closed;
  expect(steps).toEqual(['a follows one', 'a left']);
});
