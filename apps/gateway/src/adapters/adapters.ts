import type { TopicNames } from '#event';
import type { AnswerBudget } from '#http';
import type { Log, Producer } from '#log';
import type { Definitions } from '#registry';
import type { EventFileExporter, AnalystSql, Store } from '#store';
import type { Logger } from '#telemetry';
import type { VerdictTable } from '#verdicts';
import type { WebhookNetworks } from '#webhooks';
import type { GatewayConfig } from '../config.js';
import type { Bulkhead } from '../reads/bulkhead.js';
import type { ConsistencyLimits } from '../consistency/consistency-limits.js';
import type { FlushSender } from '../consistency/flush-sender.js';

/** Injection tokens. Nest needs them for interfaces, which do not exist at run time. */
export const LOG = Symbol('Log');
export const STORE = Symbol('Store');
/** The store for live streams. Its reads do not count in the memory budget of answers. */
export const LIVE_STORE = Symbol('Store of live streams');
/** Exports of events as files. */
export const FILES = Symbol('EventFileExporter');
/** SQL queries of analysts. */
export const SQL = Symbol('SqlQueries');
export const DEFINITIONS = Symbol('Definitions');
export const PRODUCER = Symbol('Producer');
/** Flush requests of readers that wait. */
export const FLUSHES = Symbol('FlushSender');
export const LOGGER = Symbol('Logger');
export const CONSISTENCY_BOUNDS = Symbol('ConsistencyLimits');

/** Connections and shared services that are opened when the process starts. Both ports share them. */
export interface Adapters {
  config: GatewayConfig;
  logger: Logger;
  log: Pick<Log, 'admin'>;
  store: Pick<Store, 'reader' | 'writer' | 'eraser' | 'projections' | 'pipelines' | 'snapshots'>;
  live: Pick<Store, 'reader' | 'projections'>;
  sql: AnalystSql;
  files: EventFileExporter;
  definitions: Definitions;
  producer: Producer;
  flushes: FlushSender;
  topics: TopicNames;
  /** Verdicts on conditional writes. */
  verdicts: VerdictTable;
  bulkhead: Bulkhead;
  answers: AnswerBudget;
  /** Networks that webhooks may call although they are not public. */
  webhooks: WebhookNetworks;
  waiting?: Partial<ConsistencyLimits>;
}
