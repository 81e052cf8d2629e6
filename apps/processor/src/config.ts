import { IsInt, Max, Min } from 'class-validator';
import { AppConfig, AreNetworks, follows, FromText, Secret } from '#api';
import { wrongInSecrets } from '#webhooks';

const mebibyte = 1024 * 1024;

export class ProcessorConfig extends AppConfig {
  /** Port for health checks and metrics. With 0, the system picks a free port. */
  @FromText('number') @IsInt() @Min(0) @Max(65_535) PROCESSOR_PORT = 3904;

  /**
   * Bounds of the id window, in records and minutes per partition. A repeated event id is recognised only within both
   * bounds. Both settings must have the same values as in the materializer.
   */
  @FromText('number') @IsInt() @Min(1) @Max(10_000_000) DEDUPE_WINDOW_RECORDS = 200_000;
  @FromText('number') @IsInt() @Min(1) @Max(10_080) DEDUPE_WINDOW_MINUTES = 60;

  /**
   * Bounds of the state cache, in entries and approximate bytes. They apply once to the keys of all projections
   * together and once to the windows and keys of all pipelines together.
   */
  @FromText('number') @IsInt() @Min(1) @Max(100_000_000) STATE_CACHED_KEYS = 50_000;
  @FromText('number') @IsInt() @Min(1024) STATE_CACHED_BYTES = 128 * mebibyte;
  /** Milliseconds between two checkpoints, which save the changed states. */
  @FromText('number') @IsInt() @Min(0) @Max(60_000) STATE_SAVE_INTERVAL_MS = 200;
  /**
   * Bounds on states that wait to be saved, in entries and approximate bytes. They apply to projections and,
   * separately, to pipelines. Beyond a bound, the processor stops reading from Kafka.
   */
  @FromText('number') @IsInt() @Min(1) @Max(1_000_000) STATE_SAVE_KEYS = 10_000;
  @FromText('number') @IsInt() @Min(1024) STATE_SAVE_BYTES = 16 * mebibyte;

  /**
   * Secrets that sign webhook requests: `name=whsec_…`, comma-separated. A pipeline definition refers to a secret by
   * its name in `secret_ref`.
   */
  @Secret()
  @FromText('list')
  @follows('areWebhookSecrets', (value) => wrongInSecrets(value as string[]))
  WEBHOOK_SECRETS: string[] = [];
  /**
   * Private addresses or networks (CIDR) to which webhooks may be sent. Webhooks to these addresses may use HTTP
   * without TLS.
   */
  @FromText('list') @AreNetworks() WEBHOOK_ALLOWED_NETWORKS: string[] = [];

  /** Milliseconds without a heartbeat after which Kafka assigns this process's partitions to another process. */
  @FromText('number') @IsInt() @Min(6000) @Max(1_800_000) KAFKA_SESSION_TIMEOUT_MS = 30_000;
}
