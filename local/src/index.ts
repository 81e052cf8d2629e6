export { appProgram } from './app.js';
export { clickHousePasswords, startClickHouse, type RunningClickHouse } from './clickhouse/start.js';
export { freePort } from './engine/free-port.js';
export { startKafka, type KafkaOptions, type RunningKafka } from './kafka/start.js';
