export type { AppendOptions } from './append.js';
export type { DecideOptions, Decision, VersionedState } from './decide.js';
