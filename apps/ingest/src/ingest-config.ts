import { IsBoolean, IsInt, Max, Min } from 'class-validator';
import { AppConfig, composeSettings, FromText } from '#api';
import { settingsOf } from '#app';
import { KeySettings } from '#http';
import { WriteSettings } from '#writing';
import { features } from './features.js';

/** Settings of ingest. */
export class IngestSettings {
  /** Port for writes. 0 takes any free port. */
  @FromText('number') @IsInt() @Min(0) @Max(65_535) INGEST_PORT = 3901;
  /** Mebibytes of request bodies in memory at the same time; above it, requests get 503 `overloaded`. */
  @FromText('number') @IsInt() @Min(16) @Max(4096) INGEST_BODY_MIB = 64;
  /**
   * Whether the write port requires a key with the scope `events:write`. If the write port requires no key, every
   * client that can reach the port may write.
   */
  @FromText('boolean') @IsBoolean() INGEST_REQUIRE_KEYS = false;
}

/** The settings that ingest reads. */
export const IngestConfig = composeSettings(
  AppConfig,
  IngestSettings,
  KeySettings,
  WriteSettings,
  ...settingsOf(features),
);
export type IngestConfig = InstanceType<typeof IngestConfig>;
