import type { AppConfig } from '#api';
import type { Logger } from '../logger.js';

/** The settings of an app that concern tracing. */
export type TracingConfig = Pick<
  AppConfig,
  | 'OTEL_EXPORTER_OTLP_ENDPOINT'
  | 'OTEL_EXPORTER_OTLP_HEADERS'
  | 'OTEL_EXPORTER_OTLP_PROTOCOL'
  | 'OTEL_SERVICE_NAME'
  | 'OTEL_SDK_DISABLED'
  | 'OTEL_TRACES_SAMPLER'
  | 'OTEL_TRACES_SAMPLER_ARG'
>;

/** What tracing needs to be opened: the app's name and version, its settings, and a logger. */
export interface TracingOptions {
  /** The app's name without the prefix `tributary-`, such as `gateway`. */
  name: string;
  version: string;
  config: TracingConfig;
  logger: Logger;
}
