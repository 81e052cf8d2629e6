import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';

it('a thread of an app that a local start runs does not fail, and does not watch the standard input', async () => {
  const execArgv = ['--import', new URL('./stop-with-parent.js', import.meta.url).href];
  const thread = new Worker(new URL('data:text/javascript,process.exit(7)'), { execArgv });
  expect(await once(thread, 'exit')).toEqual([7]);
});
