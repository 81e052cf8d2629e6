import { closedLoop } from './closed-loop.js';
import type { Job } from './job.js';
import { paced } from './paced.js';

// The load generator is a separate process, so its cost is not counted as the server's.
const job = JSON.parse(process.argv[2]!) as Job;
const result = job.kind === 'closed' ? await closedLoop(job) : await paced(job);
process.send!(result);
process.disconnect();
