export type { DecidedMark } from './decided-mark.js';
export { leaveOutRejected } from './rejected-record-filter.js';
export { expectedVersionOf, hasConditional } from './expected-version-of.js';
export { VerdictConflictError, VerdictPublisher } from './verdict-publisher.js';
export { rangeOf, rangeOffsets, type NumberedOffsetRange, type Verdict } from './offset-range-verdicts.js';
export { VerdictTable, type VerdictListener } from './verdict-table.js';
export { VerdictWaiters } from './verdict-waiters.js';
