import { beforeEach, expect, it, vi } from 'vitest';
import { ProblemError } from '#api';
import { createLogger } from '#telemetry';
import { DefinitionFailureReporter } from './definition-failure-reporter.js';

let reports: string[];
let isAway: boolean;
let failures: DefinitionFailureReporter;
const errors: unknown[] = [];

beforeEach(() => {
  [reports, isAway] = [[], false];
  failures = new DefinitionFailureReporter({
    report: async (id, reason, isStill) => {
      if (isAway) throw new ProblemError('log_unavailable', 'away');
      if (isStill()) reports.push(`${id}: ${reason}`);
    },
    ...{ logger: createLogger({ name: 'test', level: 'silent' }), delayMs: 5 },
    onFailure: (error) => errors.push(error),
  });
});

const pause = () => new Promise((resolve) => setTimeout(resolve, 30));

it('reports once each definition that cannot start and each that cannot continue', async () => {
  failures.follow(new Map([['a', 'no such operator']]));
  failures.giveUp('b', 'its topic is gone');
  await pause();
  expect(reports).toEqual(['a: no such operator', 'b: its topic is gone']);
});

it('does not report a failure that is corrected within the delay', async () => {
  failures.follow(new Map([['a', 'a loop']]));
  failures.follow(new Map());
  await pause();
  expect(reports).toEqual([]);
});

it('retries while definitions cannot be changed', async () => {
  isAway = true;
  failures.giveUp('b', 'its topic is gone');
  await pause();
  isAway = false;
  await vi.waitFor(() => expect(reports).toEqual(['b: its topic is gone']));
  await failures.stop();
  expect(errors).toEqual([]);
});
