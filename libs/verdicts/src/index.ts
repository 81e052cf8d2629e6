export { leaveOutRefused } from './leave-out-refused.js';
export { hasConditional, VerdictConflictError, VerdictPublisher } from './verdict-publisher.js';
export { rangeOf, rangeOffsets, type PartitionPlace, type Verdict } from './verdict-record.js';
export { VerdictTable, type VerdictListener } from './verdict-table.js';
export { VerdictWaiters } from './verdict-waiters.js';
