import { IsBoolean, IsInt, Max, Min } from 'class-validator';
import { AppConfig, FromText, Secret } from '#api';
import { AreApiKeys } from '#http';

/** What ingest reads from the environment, besides what every app does. */
export class IngestConfig extends AppConfig {
  @FromText('number') @IsInt() @Min(0) @Max(65_535) INGEST_PORT = 3901;
  /** Whether a first event makes its stream. */
  @FromText('boolean') @IsBoolean() AUTO_CREATE_STREAMS = true;
  /** Mebibytes of request bodies held at once; more is a 503 `overloaded`. */
  @FromText('number') @IsInt() @Min(16) @Max(4096) INGEST_BODY_MIB = 64;
  /** Whether the write port asks for a key with `events:write`; else it is open to the network that reaches it. */
  @FromText('boolean') @IsBoolean() INGEST_REQUIRE_KEYS = false;
  /** Keys beside the issued ones, as in the gateway: `<key_id>:<sha256 hex of the whole key>:<scope>+<scope>…`. */
  @Secret() @FromText('list') @AreApiKeys() API_KEYS: string[] = [];
  /** Seconds without Kafka after which issued keys are refused: nobody knows whether they were revoked since. */
  @FromText('number') @IsInt() @Min(10) @Max(31_536_000) KEYS_MAX_AGE_SECONDS = 300;
}
