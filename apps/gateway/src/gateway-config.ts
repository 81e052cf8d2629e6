import { IsInt, Max, Min } from 'class-validator';
import { AppConfig, composeSettings, FromText } from '#api';
import { settingsOf } from '#app';
import { KeySettings } from '#http';
import { WriteSettings } from '#writing';
import { ConsoleSettings } from './console/console-settings.js';
import { features } from './features.js';
import { ReadSettings } from '#gateway-kit';

/** Settings of the gateway. */
export class GatewaySettings {
  /** Port for services inside the network, without authentication. */
  @FromText('number') @IsInt() @Min(0) @Max(65_535) GATEWAY_CORE_PORT = 3900;
  /** Port for all other clients, with API keys. */
  @FromText('number') @IsInt() @Min(0) @Max(65_535) GATEWAY_QUERY_PORT = 3902;
  /**
   * Mebibytes of answers in memory at the same time, from the read until the client has received the answer. A request
   * that would exceed this limit gets a 503 `overloaded`.
   */
  @FromText('number') @IsInt() @Min(96) @Max(65_536) GATEWAY_ANSWER_MIB = 192;
}

/** The classes of settings that the gateway reads whatever its features are. */
export const gatewaySettings = [
  AppConfig,
  GatewaySettings,
  KeySettings,
  WriteSettings,
  ReadSettings,
  ConsoleSettings,
] as const;

/** The settings that the gateway reads. */
export const GatewayConfig = composeSettings(...gatewaySettings, ...settingsOf(features));
export type GatewayConfig = InstanceType<typeof GatewayConfig>;
