/** The events that a projection or a pipeline reads. */
export interface DefinitionSource {
  streams: string[];
  event_types?: string[] | null;
  /** A CEL expression over the event. */
  where?: string | null;
}

/** Where a projection or pipeline starts in a stream that it has not read yet. */
export type SourceStart = 'beginning' | 'now';
