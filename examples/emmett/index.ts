export { TributaryEventStore, type TributaryEventStoreOptions } from './tributary-event-store.js';
export type { TributaryReadEventMetadata } from './recorded.js';
