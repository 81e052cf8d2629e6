import { IsInt, Max, Min } from 'class-validator';
import { AppConfig, AreNetworks, FollowsRule, FromText, Secret } from '#api';
import { webhookSecretsError } from '#webhooks';

const mebibyte = 1024 * 1024;

export class ProcessorConfig extends AppConfig {
  /** Port for health checks and metrics. With 0, the system picks a free port. */
  @FromText('number') @IsInt() @Min(0) @Max(65_535) PROCESSOR_PORT = 3904;

  /** Records of a partition for which an event id is remembered. The materializer needs the same value. */
  @FromText('number') @IsInt() @Min(1) @Max(10_000_000) DEDUPE_WINDOW_RECORDS = 200_000;
  /** Minutes for which an event id is remembered. The materializer needs the same value. */
  @FromText('number') @IsInt() @Min(1) @Max(10_080) DEDUPE_WINDOW_MINUTES = 60;

  /** Entries of the state cache: once for the keys of all projections, once for the windows and keys of all pipelines. */
  @FromText('number') @IsInt() @Min(1) @Max(100_000_000) STATE_CACHED_KEYS = 50_000;
  /** Approximate bytes of the state cache, for projections and for pipelines. */
  @FromText('number') @IsInt() @Min(1024) STATE_CACHED_BYTES = 128 * mebibyte;
  /** Milliseconds between two checkpoints, which save the changed states. */
  @FromText('number') @IsInt() @Min(0) @Max(60_000) STATE_SAVE_INTERVAL_MS = 500;
  /** States that may wait to be saved, of projections and of pipelines. Beyond it, the processor stops reading from Kafka. */
  @FromText('number') @IsInt() @Min(1) @Max(1_000_000) STATE_SAVE_KEYS = 10_000;
  /** Approximate bytes of states that may wait to be saved, of projections and of pipelines. */
  @FromText('number') @IsInt() @Min(1024) STATE_SAVE_BYTES = 16 * mebibyte;

  /**
   * Secrets that sign webhook requests: `name=whsec_…`, comma-separated. A pipeline definition refers to a secret by
   * its name in `secret_ref`.
   */
  @Secret()
  @FromText('list')
  @FollowsRule('areWebhookSecrets', (value) => webhookSecretsError(value as string[]))
  WEBHOOK_SECRETS: string[] = [];
  /**
   * Private addresses or networks (CIDR) to which webhooks may be sent. Webhooks to these addresses may use HTTP
   * without TLS.
   */
  @FromText('list') @AreNetworks() WEBHOOK_ALLOWED_NETWORKS: string[] = [];

  /** Milliseconds without a heartbeat after which Kafka assigns this process's partitions to another process. */
  @FromText('number') @IsInt() @Min(6000) @Max(1_800_000) KAFKA_SESSION_TIMEOUT_MS = 30_000;
}
