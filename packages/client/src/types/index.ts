export type * from './intake.js';
export type * from './json.js';
export type * from './new-event.js';
export type * from './operator.js';
export type * from './queries.js';
export type * from './schemas.js';
export type * from './sql.js';
