import type { ApiSchemas, Replace } from './api-schemas.js';
import type { Time } from './json.js';

type Members = Replace<Omit<ApiSchemas['EventInput'], 'data'>, { timestamp?: Time | null }>;

/** The data of an event is an object, or JSON text that is sent unchanged, with numbers of any length. */
export type NewData = { data: object } | { dataText: string };

/** An event to write. */
export type NewEvent = Members & NewData;

/** An event to append to an entity, which is named separately. */
export type NewEntityEvent = Omit<Members, 'stream' | 'entity_id' | 'expected_version'> & NewData;
