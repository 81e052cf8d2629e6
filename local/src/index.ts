export { appProgram } from './app.js';
export {
  clickHousePasswords,
  startClickHouse,
  type ClickHousePasswords,
  type RunningClickHouse,
} from './clickhouse/start.js';
export { freePort } from './engine/free-port.js';
export type { KafkaOptions } from './kafka/properties.js';
export { startKafka, type RunningKafka } from './kafka/start.js';
