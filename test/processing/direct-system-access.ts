import { pipelineKind } from '#features/pipelines/definition';
import { projectionKind } from '#features/projections/definition';
import { subscriptionKind } from '#features/subscriptions/definition';
import { afterAll, beforeAll } from 'vitest';
import { resourceKinds, openDefinitions, type Definitions } from '#registry';
import { openKafkaLog, type Log } from '#kafka';
import { openClickHouse, type ClickHouseStore } from '#store';
import { clickHouseOf, type TestSystem } from '#testkit';

/** Direct access to the log, the store and the definitions of a system, without its apps. */
export interface DirectSystemAccess {
  stack: TestSystem;
  log: Log;
  store: ClickHouseStore;
  definitions: Definitions;
}

/** Opens log, store and definitions of the system for one spec file, and closes them at the end. */
export function useDirectAccess(system: () => { stack: TestSystem }): () => DirectSystemAccess {
  let behind: DirectSystemAccess | undefined;
  beforeAll(async () => {
    const { stack } = system();
    const log = openKafkaLog({ brokers: [stack.brokers], clientId: 'test', replicationFactor: -1 });
    const store = openClickHouse(clickHouseOf(stack, stack.database));
    const definitions = openDefinitions({
      log,
      names: stack.topics,
      defaults: { partitions: 4 },
      kinds: [...resourceKinds, projectionKind, pipelineKind, subscriptionKind],
    });
    behind = { stack, log, store, definitions };
    await definitions.start();
  });
  afterAll(async () => {
    await behind?.definitions.close();
    await behind?.log.close();
    await behind?.store.close();
  });
  return () => {
    if (!behind) throw new Error('The system has not been started');
    return behind;
  };
}
