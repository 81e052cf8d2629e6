import type { TopicAndGroupNames } from '#event';
import type { HttpAnswerMemoryBudget } from '#http';
import type { Log, Producer } from '#kafka';
import type { Definitions } from '#registry';
import type { EventFileExporter, AnalystSqlRunner, Store } from '#store';
import type { Logger } from '#telemetry';
import type { VerdictTable } from '#verdicts';
import type { WebhookAddressPolicy } from '#webhooks';
import type { GatewayConfig } from '../config.js';
import type { Bulkhead } from '../reads/bulkhead.js';
import type { ConsistencyLimits } from '../consistency/consistency-limits.js';
import type { FlushRequestSender } from '../consistency/flush-request-sender.js';

/** Injection token of the Kafka log. Nest needs tokens for interfaces, which do not exist at run time. */
export const LOG = Symbol('Log');
export const STORE = Symbol('Store');
/**
 * Injection token of the ClickHouse client for live streams, whose results do not count in the memory budget of
 * answers.
 */
export const LIVE_STORE = Symbol('Store of live streams');
/** Injection token of the exporter of events as Parquet and Arrow files. */
export const FILES = Symbol('EventFileExporter');
/** Injection token of the service that runs the SQL statements of analysts. */
export const SQL = Symbol('SqlQueries');
export const DEFINITIONS = Symbol('Definitions');
export const PRODUCER = Symbol('Producer');
/**
 * Injection token of the sender of flush requests, which ask consumer groups to store events before their batch is
 * full.
 */
export const FLUSHES = Symbol('FlushRequestSender');
export const LOGGER = Symbol('Logger');
export const CONSISTENCY_BOUNDS = Symbol('ConsistencyLimits');

/**
 * Connections and shared services that are opened when the process starts. Both ports of the gateway share these
 * connections and services.
 */
export interface SharedServices {
  config: GatewayConfig;
  logger: Logger;
  log: Pick<Log, 'admin'>;
  store: Pick<
    Store,
    'reader' | 'writer' | 'eraser' | 'projections' | 'projectionResults' | 'pipelines' | 'snapshots'
  >;
  live: Pick<Store, 'reader' | 'projections'>;
  sql: AnalystSqlRunner;
  files: EventFileExporter;
  definitions: Definitions;
  producer: Producer;
  flushes: FlushRequestSender;
  topics: TopicAndGroupNames;
  /** For each conditional write, whether it was accepted or refused. */
  verdicts: VerdictTable;
  bulkhead: Bulkhead;
  answers: HttpAnswerMemoryBudget;
  /** Networks that webhooks may call although they are not public. */
  webhooks: WebhookAddressPolicy;
  waiting?: Partial<ConsistencyLimits>;
}
