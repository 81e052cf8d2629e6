import { afterAll, beforeAll, describe } from 'vitest';
import { describeConsuming } from './contract/consuming.js';
import { describeGroups } from './contract/groups.js';
import { LogUnderTest } from './contract/log-under-test.js';
import { describeStandaloneConsumers } from './contract/standalone-consumers.js';
import { describeTables } from './contract/tables.js';
import { describeTopicsAndAppending } from './contract/topics-and-appending.js';
import type { Log } from './log.js';

/** Defines the specs that every implementation of `Log` must pass. */
export function describeLogContract(name: string, open: () => Log): void {
  describe(`${name} as a log`, () => {
    const contract = new LogUnderTest(open);
    beforeAll(() => contract.open());
    afterAll(() => contract.close());

    describeTopicsAndAppending(contract);
    describeConsuming(contract);
    describeGroups(contract);
    describeStandaloneConsumers(contract);
    describeTables(contract);
  });
}
