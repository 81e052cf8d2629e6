import { kinds, scaledText, type CelNumber } from '#cel';
import { definitionError, readList } from '../definition/members.js';
import {
  addToBins,
  binOf,
  countOf,
  magnitudeAbove,
  mergeBins,
  zeroMagnitude,
  type SketchBins,
} from './ddsketch.js';
import { exactNumber, type FoldOperation } from './fold-operation.js';

/** A DDSketch: the number of zeros, and the bins of the positive and of the negative numbers. */
type QuantileState = readonly [zeros: number, positive: SketchBins, negative: SketchBins];

/** Maximum number of quantiles of one field. */
export const mostQuantiles = 16;

/** A magnitude below this limit has at most as many digits as `sum` accepts. */
const fewDigits = 1e307;

/**
 * `quantile`: estimates quantiles of numbers with a relative error of 1 %, as an object with a member for each
 * probability: `{"0.5": 12.2, "0.99": 340.1}`. The quantile p of n values is the one of rank floor(p * (n - 1)), and null
 * without values. Magnitudes below 1.6e-18 of the largest one of their sign have a larger error. The state has at most
 * 2 048 bins for each sign.
 */
export function quantile(probabilities: readonly number[]): FoldOperation<QuantileState> {
  return {
    takes: kinds.number,
    resultType: 'json',
    unordered: true,
    parameter: {
      name: 'p',
      apply: (value, pointer) => quantile(probabilitiesOf(value, pointer)),
    },
    empty: [0, [], []],
    add: ([zeros, positive, negative], value) => {
      const number = nearestDouble(value as CelNumber);
      if (number > zeroMagnitude) return [zeros, addToBins(positive, binOf(number)), negative];
      if (number < -zeroMagnitude) return [zeros, positive, addToBins(negative, binOf(-number))];
      return [zeros + 1, positive, negative];
    },
    merge: (a, b) => [a[0] + b[0], mergeBins(a[1], b[1]), mergeBins(a[2], b[2])],
    result: (state) => `{${probabilities.map((p) => `"${p}":${estimate(state, p)}`).join(',')}}`,
  };
}

function probabilitiesOf(value: unknown, pointer: string): readonly number[] {
  const list = readList(value, pointer, [1, mostQuantiles]);
  const isProbability = (p: unknown) => typeof p === 'number' && p >= 0 && p <= 1;
  if (!list.every(isProbability))
    throw definitionError(pointer, 'must contain numbers of 0 to 1, such as 0.99');
  if (new Set(list).size < list.length) throw definitionError(pointer, 'must not contain a number twice');
  return list as number[];
}

/** Returns the nearest double, which is finite. @throws FoldRejectedError as `sum` does */
function nearestDouble(value: CelNumber): number {
  if (typeof value === 'number' && Math.abs(value) < fewDigits) return value;
  return Number(scaledText(exactNumber(value)));
}

function estimate([zeros, positive, negative]: QuantileState, p: number): number | null {
  const below = countOf(negative);
  const count = below + zeros + countOf(positive);
  if (count === 0) return null;
  const rank = Math.floor(p * (count - 1));
  if (rank < below) return -magnitudeAbove(negative, below - 1 - rank);
  return rank < below + zeros ? 0 : magnitudeAbove(positive, rank - below - zeros);
}
