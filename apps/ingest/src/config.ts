import { IsBoolean, IsInt, Max, Min } from 'class-validator';
import { AppConfig, FromText, Secret } from '#contracts';
import { AreApiKeys } from '#http';

/** What ingest reads from the environment, besides what every app does. */
export class IngestConfig extends AppConfig {
  @FromText('number') @IsInt() @Min(0) @Max(65_535) INGEST_PORT = 3901;
  /** Whether a first event makes its stream. */
  @FromText('boolean') @IsBoolean() AUTO_CREATE_STREAMS = true;
  /** Mebibytes of request bodies held at once; more is a 503 `overloaded`. */
  @FromText('number') @IsInt() @Min(16) @Max(4096) INGEST_BODY_MIB = 64;
  /** Keys of the write port, as in the gateway's `API_KEYS`; without one it is open to the network that reaches it. */
  @Secret() @FromText('list') @AreApiKeys() INGEST_API_KEYS: string[] = [];
}
