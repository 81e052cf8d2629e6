export { DEFINITIONS, DefinitionsModule } from './definitions.module.js';
export { clickHouse, kafka } from './engines.js';
export { LateBoundProducer } from './late-bound-producer.js';
export { LOG, LogModule } from './log.module.js';
export { PRODUCER, ProducerModule } from './producer.module.js';
export { LOGGER, PROCESS, ProcessModule } from './process.module.js';
export { shardingOf, STORE, StoreModule } from './store.module.js';
export { kindsOf, modulesOf, settingsOf, writeModulesOf, type Feature } from './feature.js';
