export type { AppendOptions } from './append.js';
export type { DecideOptions, DecideFunction, VersionedState } from './decide.js';
