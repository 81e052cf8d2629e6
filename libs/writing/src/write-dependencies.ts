import type { TopicAndGroupNames } from '#event';
import type { Definitions } from '#registry';
import type { Producer } from '#log';
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
}

export const WRITE_DEPENDENCIES = Symbol('WritePorts');
