import { maxPipelineRows } from './pipeline-store.js';

/** @throws RangeError when more rows are named than one question may name. */
export function assertRowsBounded(names: readonly string[]): void {
  if (names.length <= maxPipelineRows) return;
  throw new RangeError(`at most ${maxPipelineRows} rows at once, not ${names.length}`);
}
