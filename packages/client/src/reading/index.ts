export { Pages, type Page } from './pages.js';
export type * from './states.js';
export type { StoredEvent } from './stored-event.js';
