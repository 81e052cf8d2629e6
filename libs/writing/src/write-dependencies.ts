import type { TopicAndGroupNames } from '#event';
import type { Definitions } from '#registry';
import type { Producer } from '#kafka';
import type { VerdictTable } from '#verdicts';

/** The settings of the write endpoints. */
export interface WriteSettings {
  /** Whether the first event of a stream creates the stream. */
  autoCreateStreams: boolean;
  /** Senders whose webhook handshake is granted, as DNS names in lower case; the handshake is off without any. */
  webhookOrigins: readonly string[];
}

/** What the write endpoints share. */
export interface WriteDependencies extends WriteSettings {
  producer: Producer;
  definitions: Definitions;
  topics: TopicAndGroupNames;
  /** Verdicts on conditional writes. */
  verdicts: VerdictTable;
}

export const WRITE_DEPENDENCIES = Symbol('WriteDependencies');

/** Returns the settings of the write endpoints, which every app with write endpoints has. */
export function writeSettings(config: {
  AUTO_CREATE_STREAMS: boolean;
  CLOUDEVENTS_ALLOWED_ORIGINS: readonly string[];
}): WriteSettings {
  return {
    autoCreateStreams: config.AUTO_CREATE_STREAMS,
    webhookOrigins: config.CLOUDEVENTS_ALLOWED_ORIGINS.map((origin) => origin.toLowerCase()),
  };
}
