import type { TopicAndGroupNames } from '#event';
import type { Definitions } from '#registry';
import type { Producer } from '#kafka';
import type { VerdictTable } from '#verdicts';

/** What the write endpoints share. */
export interface WriteDependencies {
  producer: Producer;
  definitions: Definitions;
  topics: TopicAndGroupNames;
  /** Verdicts on conditional writes. */
  verdicts: VerdictTable;
}

export const WRITE_DEPENDENCIES = Symbol('WriteDependencies');
