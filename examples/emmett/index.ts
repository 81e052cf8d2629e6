export { TributaryEventStore } from './tributary-event-store.js';
export type { TributaryReadEventMetadata } from './recorded.js';
