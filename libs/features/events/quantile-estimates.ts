import { magnitudeOf } from '#dataflow';
import type { QuantileQuery, SignedBin } from '#store';

/** Returns the estimate of each quantile by its probability, as the operation `quantile` of projections returns it. */
export function estimates(
  { probabilities }: QuantileQuery,
  bins: readonly (SignedBin | null)[],
): Record<string, number | null> {
  const estimate = (bin: SignedBin | null | undefined) =>
    bin ? (bin.sign === 0 ? 0 : bin.sign * magnitudeOf(bin.index)) : null;
  return Object.fromEntries(probabilities.map((p, i) => [String(p), estimate(bins[i])]));
}
