import type { TopicNames } from '#event';
import type { Definitions } from '#registry';
import type { Producer } from '#log';

/** What the write endpoints need from the app that mounts them. */
export interface WritePorts {
  producer: Producer;
  definitions: Definitions;
  topics: TopicNames;
  /** Whether a first event creates its stream. */
  autoCreateStreams: boolean;
}

export const WRITE_PORTS = Symbol('WritePorts');
