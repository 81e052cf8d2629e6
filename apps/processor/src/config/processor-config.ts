import { IsInt, Max, Min } from 'class-validator';
import { AppConfig, AreNetworks, FollowsRule, FromText, Secret } from '#api';
import { webhookSecretsError } from '#webhooks';

const mebibyte = 1024 * 1024;

export class ProcessorConfig extends AppConfig {
  /** Port of the processor for health checks and metrics. With 0, the operating system picks a free port. */
  @FromText('number') @IsInt() @Min(0) @Max(65_535) PROCESSOR_PORT = 3904;

  /**
   * Number of offsets of a partition within which a repeated event id is recognised. The value must equal that of the
   * materializer.
   */
  @FromText('number') @IsInt() @Min(1) @Max(10_000_000) DEDUPE_WINDOW_RECORDS = 200_000;
  /** Minutes within which a repeated event id is recognised. The value must equal that of the materializer. */
  @FromText('number') @IsInt() @Min(1) @Max(10_080) DEDUPE_WINDOW_MINUTES = 60;
  /**
   * Minutes within which a repeated event id is recognised even if the limit of DEDUPE_WINDOW_RECORDS is exceeded; at
   * most DEDUPE_WINDOW_MINUTES. 0 switches this off. The value must be the same as in the materializers.
   */
  @FromText('number') @IsInt() @Min(0) @Max(60) DEDUPE_FAR_MINUTES = 10;

  /**
   * Maximum number of entries of the state cache: one such cache has the keys of all projections, another one the
   * windows and keys of all pipelines.
   */
  @FromText('number') @IsInt() @Min(1) @Max(100_000_000) STATE_CACHED_KEYS = 50_000;
  /** Approximate maximum bytes of the state cache, once for projections and once for pipelines. */
  @FromText('number') @IsInt() @Min(1024) STATE_CACHED_BYTES = 128 * mebibyte;
  /**
   * Milliseconds between the starts of two checkpoints, which save the changed states. A checkpoint starts earlier if a
   * reader waits or many changes are unsaved.
   */
  @FromText('number') @IsInt() @Min(0) @Max(60_000) STATE_SAVE_INTERVAL_MS = 500;
  /**
   * Maximum number of changed states that wait to be saved, once for projections and once for pipelines. While this
   * limit is reached, the processor does not read from Kafka.
   */
  @FromText('number') @IsInt() @Min(1) @Max(1_000_000) STATE_SAVE_KEYS = 10_000;
  /** Approximate maximum bytes of changed states that wait to be saved, once for projections and once for pipelines. */
  @FromText('number') @IsInt() @Min(1024) STATE_SAVE_BYTES = 16 * mebibyte;

  /**
   * Secrets that sign webhook requests, as JSON: `{"shop":{"value":"whsec_…","hosts":["hooks.example.com"]}}`. A
   * pipeline definition refers to a secret by its name in `secret_ref`. A secret signs only requests to its hosts.
   */
  @Secret()
  @FollowsRule('areWebhookSecrets', (value) => webhookSecretsError(value as string))
  WEBHOOK_SECRETS = '';
  /**
   * Private addresses or networks (CIDR) to which webhooks may be sent. Webhooks to these addresses may use HTTP
   * without TLS.
   */
  @FromText('list') @AreNetworks() WEBHOOK_ALLOWED_NETWORKS: string[] = [];

  /** Milliseconds without a heartbeat after which Kafka assigns the partitions of this process to another process. */
  @FromText('number') @IsInt() @Min(6000) @Max(1_800_000) KAFKA_SESSION_TIMEOUT_MS = 30_000;
}
