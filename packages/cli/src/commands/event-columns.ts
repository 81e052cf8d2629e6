import type { StoredEvent } from '#client';
import type { Column } from '../output/column.js';

/** The columns of events. CSV has the columns of the API's CSV. */
export const eventColumns: readonly Column<StoredEvent>[] = [
  { name: 'event_id', csvOnly: true },
  { name: 'stream' },
  { name: 'event_type' },
  { name: 'entity_id' },
  { name: 'version' },
  { name: 'timestamp' },
  { name: 'ingested_at', csvOnly: true },
  { name: 'schema_version', csvOnly: true },
  { name: 'partition', csvOnly: true },
  { name: 'offset', csvOnly: true },
  { name: 'metadata', of: ({ metadataText }) => metadataText, csvOnly: true },
  { name: 'data', of: ({ dataText }) => dataText },
];
