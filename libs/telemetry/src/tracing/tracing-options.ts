import type { AppConfig } from '#api';
import type { Logger } from '../logger.js';

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

export interface TracingOptions {
  /** The app's name, without `tributary-`. */
  name: string;
  version: string;
  config: TracingConfig;
  logger: Logger;
}
