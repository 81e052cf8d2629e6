import { IsInt, Max, Min } from 'class-validator';
import { AppConfig, AreNetworks, follows, FromText, Secret } from '#api';
import { wrongInSecrets } from '#webhooks';

const mebibyte = 1024 * 1024;

export class ProcessorConfig extends AppConfig {
  /** Health and metrics. 0 takes any free port. */
  @FromText('number') @IsInt() @Min(0) @Max(65_535) PROCESSOR_PORT = 3904;

  /** How far back a repeated event id is recognised, per partition: both bounds hold. As the materializer has it. */
  @FromText('number') @IsInt() @Min(1) @Max(10_000_000) DEDUPE_WINDOW_RECORDS = 200_000;
  @FromText('number') @IsInt() @Min(1) @Max(10_080) DEDUPE_WINDOW_MINUTES = 60;

  /**
   * States that are kept in memory, and about how many bytes they may take: keys of all projections together, and as many
   * windows and keys of all pipelines together.
   */
  @FromText('number') @IsInt() @Min(1) @Max(100_000_000) STATE_CACHED_KEYS = 50_000;
  @FromText('number') @IsInt() @Min(1024) STATE_CACHED_BYTES = 128 * mebibyte;
  /** Milliseconds between two saves of what has changed. */
  @FromText('number') @IsInt() @Min(0) @Max(60_000) STATE_SAVE_INTERVAL_MS = 200;
  /**
   * States, and about how many bytes, that may wait to be saved, of projections and as many of pipelines; past that, nothing
   * more is read from Kafka.
   */
  @FromText('number') @IsInt() @Min(1) @Max(1_000_000) STATE_SAVE_KEYS = 10_000;
  @FromText('number') @IsInt() @Min(1024) STATE_SAVE_BYTES = 16 * mebibyte;

  /** What webhooks are signed with: `name=whsec_…`, comma-separated; definitions name one as their `secret_ref`. */
  @Secret()
  @FromText('list')
  @follows('areWebhookSecrets', (value) => wrongInSecrets(value as string[]))
  WEBHOOK_SECRETS: string[] = [];
  /** Addresses or networks in CIDR notation that webhooks may go to although they are not public; there without TLS, too. */
  @FromText('list') @AreNetworks() WEBHOOK_ALLOWED_NETWORKS: string[] = [];

  /** Milliseconds without a heartbeat after which Kafka gives this process's partitions to another. */
  @FromText('number') @IsInt() @Min(6000) @Max(1_800_000) KAFKA_SESSION_TIMEOUT_MS = 30_000;
}
