import type { TopicAndGroupNames } from '#event';
import type { Definitions } from '#registry';
import type { Producer } from '#kafka';
import type { VerdictTable } from '#verdicts';

/** Dependencies of the write endpoints, provided by the app that mounts them. */
export interface WriteDependencies {
  producer: Producer;
  definitions: Definitions;
  topics: TopicAndGroupNames;
  /** Verdicts on conditional writes. */
  verdicts: VerdictTable;
  /** Whether the first event of a stream creates the stream. */
  autoCreateStreams: boolean;
  /** Senders whose webhook handshake is granted, as DNS names in lower case; the handshake is off without any. */
  webhookOrigins: readonly string[];
}

export const WRITE_DEPENDENCIES = Symbol('WritePorts');

/** Returns the dependencies that are settings, which every app with write endpoints has. */
export function writeSettings(config: {
  AUTO_CREATE_STREAMS: boolean;
  CLOUDEVENTS_ALLOWED_ORIGINS: readonly string[];
}): Pick<WriteDependencies, 'autoCreateStreams' | 'webhookOrigins'> {
  return {
    autoCreateStreams: config.AUTO_CREATE_STREAMS,
    webhookOrigins: config.CLOUDEVENTS_ALLOWED_ORIGINS.map((origin) => origin.toLowerCase()),
  };
}
