export { Pages, type Page } from './pages.js';
export { SqlRow, SqlRows } from './sql-rows.js';
export type * from './states.js';
export type { StoredEvent } from './stored-event.js';
