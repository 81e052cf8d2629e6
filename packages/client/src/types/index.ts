export type * from './inputs.js';
export type * from './operator.js';
export type * from './queries.js';
export type * from './schemas.js';
