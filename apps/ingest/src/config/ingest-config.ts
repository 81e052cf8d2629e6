import { IsBoolean, IsInt, Max, Min } from 'class-validator';
import { AppConfig, AreHostNames, FromText, Secret } from '#api';
import { AreApiKeys } from '#http';

/** Settings of ingest, in addition to those of every app. */
export class IngestConfig extends AppConfig {
  /** Port for writes. 0 takes any free port. */
  @FromText('number') @IsInt() @Min(0) @Max(65_535) INGEST_PORT = 3901;
  /** Whether the first event of a stream creates the stream. */
  @FromText('boolean') @IsBoolean() AUTO_CREATE_STREAMS = true;
  /**
   * Senders of CloudEvents whose webhook handshake (`OPTIONS`) is granted: DNS names such as eventgrid.azure.net,
   * comma-separated. Without any, the handshake is off.
   */
  @FromText('list') @AreHostNames() CLOUDEVENTS_ALLOWED_ORIGINS: string[] = [];
  /** Mebibytes of request bodies in memory at the same time; above it, requests get 503 `overloaded`. */
  @FromText('number') @IsInt() @Min(16) @Max(4096) INGEST_BODY_MIB = 64;
  /**
   * Whether the write port requires a key with the scope `events:write`. If the write port requires no key, every
   * client that can reach the port may write.
   */
  @FromText('boolean') @IsBoolean() INGEST_REQUIRE_KEYS = false;
  /**
   * Keys in addition to the issued ones, in the same format as in the gateway: `<key_id>:<sha256 hex of the whole
   * key>:<scope>+<scope>…`.
   */
  @Secret() @FromText('list') @AreApiKeys() API_KEYS: string[] = [];
  /** Seconds without Kafka after which issued keys are rejected, because a revocation would be unknown here. */
  @FromText('number') @IsInt() @Min(10) @Max(31_536_000) KEYS_MAX_AGE_SECONDS = 300;
}
