import type { ScanningValidator } from '#json-schema/scan';

/** The schema of an event type in a stream. */
export interface EventSchema {
  /** The compiled schema, which validates `data` during the scan; undefined until the first event needs it. */
  readonly ready: { readonly scan: ScanningValidator | undefined } | undefined;
}

/** Finds the schema of an event type in a stream. */
export interface EventSchemaFinder {
  find(stream: string, eventType: string): EventSchema | undefined;
}
