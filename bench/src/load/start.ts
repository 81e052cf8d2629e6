import { runChild } from '../child.js';
import type {
  ClosedLoopJob,
  ClosedLoopResult,
  ConditionalWriteJob,
  ConditionalWriteResult,
  PacedJob,
  PacedResult,
} from './job.js';

/** Runs a closed loop in a separate process. Events of requests that were not accepted are not counted. */
export function tryClosedLoop(job: Omit<ClosedLoopJob, 'kind'>): Promise<ClosedLoopResult> {
  return runChild<ClosedLoopResult>('load/main.js', { kind: 'closed', ...job });
}

/** Runs a closed loop in a separate process. @throws if a request was not accepted */
export async function runClosedLoop(job: Omit<ClosedLoopJob, 'kind'>): Promise<ClosedLoopResult> {
  const result = await tryClosedLoop(job);
  const accepted = job.raw ? '200' : '201';
  const refused = Object.entries(result.statuses).filter(([status]) => status !== accepted);
  if (refused.length > 0) throw new Error(`requests were not accepted: ${JSON.stringify(result.statuses)}`);
  return result;
}

/** Runs a paced load in a separate process. */
export function runPaced(job: Omit<PacedJob, 'kind'>): Promise<PacedResult> {
  return runChild<PacedResult>('load/main.js', { kind: 'paced', ...job });
}

/** Runs conditional writes in a separate process. @throws if one was not accepted */
export function runConditional(job: Omit<ConditionalWriteJob, 'kind'>): Promise<ConditionalWriteResult> {
  return runChild<ConditionalWriteResult>('load/main.js', { kind: 'conditional', ...job });
}
