import { numberToSql, UntranslatableExpressionError } from '#cel';
import { UntranslatableValueError } from '../errors.js';
import type { LogarithmicBins, QuantileQuery, SignedBin } from '../store.js';
import { eventColumns } from './connection/event-conditions.js';
import type { SqlParams } from './connection/sql-params.js';

/*
 * A signed bin is one integer here, so that integers have the order of their numbers: 0 for zero, index + 2^17 for positive
 * numbers and -(index + 2^17) for negative ones. The index of a double has at most 17 bits with its sign.
 */
const offset = 2 ** 17;

/** Magnitudes from this one on have more digits than folds accept, and are left out. */
const tooLarge = '1e308';

/** The bins of the quantiles of one bucket: how many numbers there are, the bin of each rank, the lowest and the highest bin. */
export type QuantileBinsRow = [numbers: number, ranks: number[], lowest: number, highest: number];

/**
 * Returns SQL for the bin of an event's number; NULL without a number.
 * @throws UntranslatableValueError
 */
export function binSql({ value, bins }: QuantileQuery, params: SqlParams): string {
  const number = valueSql(value, params);
  const perDoubling = params.bind('Float64', bins.perDoubling);
  const zero = params.bind('Float64', bins.zeroMagnitude);
  // Without the bound, the index of zero would be an infinite number.
  const index = `toInt32(ceil(log2(greatest(abs(x), ${zero})) * ${perDoubling})) + ${offset}`;
  const bin = `multiIf(isNull(x) OR abs(x) >= ${tooLarge}, NULL, x > ${zero}, ${index}, x < -${zero}, -(${index}), 0)`;
  return `arrayMap(x -> ${bin}, [${number}])[1]`;
}

function valueSql(value: QuantileQuery['value'], params: SqlParams): string {
  try {
    return numberToSql(value, eventColumns, params);
  } catch (error) {
    if (error instanceof UntranslatableExpressionError)
      throw new UntranslatableValueError(error.message, error.at);
    throw error;
  }
}

/** Returns SQL for a `QuantileBinsRow`, of an aggregation of rows that have a `bin` and its number of `events`. */
export function quantileBinsSql({ probabilities }: QuantileQuery, params: SqlParams): string {
  const list = 'arraySort(groupArrayIf((assumeNotNull(bin), events_in_bin), isNotNull(bin)))';
  const ranks =
    `arrayMap(p -> bins[arrayFirstIndex(below -> below > floor(p * (toInt64(upto[-1]) - 1)), upto)], ` +
    `${params.bind('Array(Float64)', probabilities)})`;
  return (
    `arrayMap((bins, upto) -> (upto[-1], ${ranks}, bins[1], bins[-1]), ` +
    `[arrayMap(one -> one.1, ${list})], [arrayCumSum(one -> one.2, ${list})])[1]`
  );
}

/** Returns the bin of each quantile, after lower bins have collapsed. */
export function collapsedBins(
  [numbers, ranks, lowest, highest]: QuantileBinsRow,
  { most }: LogarithmicBins,
): (SignedBin | null)[] {
  if (numbers === 0) return ranks.map(() => null);
  return ranks.map((bin) => {
    if (bin === 0) return { sign: 0, index: 0 };
    if (bin > 0) return { sign: 1, index: Math.max(bin, highest - most + 1) - offset };
    return { sign: -1, index: Math.max(-bin, -lowest - most + 1) - offset };
  });
}
