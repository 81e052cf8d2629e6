import { afterAll, beforeAll, describe } from 'vitest';
import { describeAudit } from './contract/audit.contract.js';
import { describeChanges } from './contract/changes.contract.js';
import { describeCompaction } from './contract/compaction.contract.js';
import { DefinitionsTestProcesses, type TestLogFactory } from './contract/definitions-test-processes.js';
import { describeDeletion } from './contract/deletion.contract.js';
import { describePipelines } from '../../features/pipelines/definition/pipelines.contract.js';
import { describeProjections } from '../../features/projections/definition/projections.contract.js';
import { describeSubscriptions } from '../../features/subscriptions/definition/subscriptions.contract.js';
import { describeReading } from './contract/reading.contract.js';
import { describeStreams } from './contract/streams.contract.js';

/** The contract of the definitions, for every implementation of the log. */
export function describeDefinitionsContract(name: string, log: TestLogFactory): void {
  describe(`definitions on ${name}`, () => {
    const given = new DefinitionsTestProcesses(log);
    beforeAll(() => given.open());
    afterAll(() => given.close());

    describeStreams(given);
    describeDeletion(given);
    describeChanges(given);
    describeReading(given);
    describeAudit(given);
    describeCompaction(given);
    describeProjections(given);
    describePipelines(given);
    describeSubscriptions(given);
  });
}
