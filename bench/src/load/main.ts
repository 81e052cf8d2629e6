import { closedLoop } from './closed-loop.js';
import { conditional } from './conditional.js';
import type { LoadGeneratorJob } from './job.js';
import { paced } from './paced.js';

// The load generator is a separate process, so its cost is not counted as the server's.
const job = JSON.parse(process.argv[2]!) as LoadGeneratorJob;
const run = (): Promise<unknown> => {
  if (job.kind === 'closed') return closedLoop(job);
  return job.kind === 'paced' ? paced(job) : conditional(job);
};
const result = await run();
process.send!(result);
process.disconnect();
