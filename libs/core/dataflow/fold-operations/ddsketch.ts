/**
 * The counts of one sign of a DDSketch, which estimates quantiles with a relative error of 1 %. Bin `i` counts the
 * magnitudes in (γ^(i-1), γ^i], with γ = 1.01 / 0.99. The list has the index and the count of each bin that is not
 * empty, in ascending order of the indices: `[-3, 1, 12, 4]` is one value in bin -3 and four in bin 12.
 *
 * The bins cover at most 2 048 successive indices. Lower ones collapse into the lowest of these, so magnitudes down to
 * 1.6e-18 of the largest keep their relative error. The largest index alone decides which bins collapse, so the result
 * depends neither on the order nor on the grouping of the values.
 *
 * Source: Masson, Rim, Lee: "DDSketch: a fast and fully-mergeable quantile sketch with relative-error guarantees" (2019,
 * arXiv:1908.10693). The bins equal those of `LogCollapsingLowestDenseDDSketch` in Datadog's ddsketch for Python. Its
 * package for JavaScript, @datadog/sketches-js 2.1.1, loses the negative values of a merged sketch.
 */
export type SketchBins = readonly number[];

const relativeError = 0.01;
const mostBins = 2048;
const gammaMinusOne = (2 * relativeError) / (1 - relativeError);
const gamma = 1 + gammaMinusOne;
const indicesPerDoubling = Math.LN2 / Math.log1p(gammaMinusOne);

/** Magnitudes up to this one count as zero: the bins end at the smallest normal double. */
export const zeroMagnitude = 2 ** -1022 * gamma;

/** The bins, for SQL that counts numbers in them. */
export const sketchBins = { zeroMagnitude, perDoubling: indicesPerDoubling, most: mostBins };

/** Returns the index of the bin of a magnitude above `zeroMagnitude`. */
export function binOf(magnitude: number): number {
  // -0 + 0 is 0, as in JSON.
  return Math.ceil(Math.log2(magnitude) * indicesPerDoubling) + 0;
}

/** Returns the magnitude that stands for all in a bin: at most 1 % larger or smaller than each of them. */
export function magnitudeOf(index: number): number {
  return 2 ** (index / indicesPerDoubling) * (2 / (1 + gamma));
}

/** Returns the bins with one more magnitude, in the bin of this index. */
export function addToBins(bins: SketchBins, index: number): SketchBins {
  const last = bins.at(-2) ?? index;
  const bin = Math.max(index, last - mostBins + 1);
  const at = offsetOf(bins, bin);
  const next = bins.slice();
  if (bins[at] === bin) next[at + 1]!++;
  else next.splice(at, 0, bin, 1);
  return index > last ? collapsed(next) : next;
}

/** Returns the bins of all magnitudes that were added to one of two. */
export function mergeBins(a: SketchBins, b: SketchBins): SketchBins {
  const merged: number[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    const [x, y] = [a[i] ?? Infinity, b[j] ?? Infinity];
    merged.push(Math.min(x, y), (x <= y ? a[i + 1]! : 0) + (y <= x ? b[j + 1]! : 0));
    if (x <= y) i += 2;
    if (y <= x) j += 2;
  }
  return collapsed(merged);
}

/** Returns how many magnitudes were added. */
export function countOf(bins: SketchBins): number {
  let count = 0;
  for (let i = 1; i < bins.length; i += 2) count += bins[i]!;
  return count;
}

/** Estimates the magnitude of the lowest bin that ends above a rank, which counts from 0 and may lie between two. */
export function magnitudeAbove(bins: SketchBins, rank: number): number {
  let last = 0;
  for (let count = 0; last < bins.length - 2; last += 2) if ((count += bins[last + 1]!) > rank) break;
  return magnitudeOf(bins[last]!);
}

/** Collapses the bins below the lowest index that the largest one permits. */
function collapsed(bins: number[]): SketchBins {
  const lowest = bins.at(-2)! - mostBins + 1;
  if (bins.length === 0 || bins[0]! >= lowest) return bins;
  const kept = offsetOf(bins, lowest);
  const below = countOf(bins.slice(0, kept));
  if (bins[kept] !== lowest) return [lowest, below, ...bins.slice(kept)];
  return [lowest, below + bins[kept + 1]!, ...bins.slice(kept + 2)];
}

/** Returns the offset of the first bin with this index or a larger one; the length of the list if there is none. */
function offsetOf(bins: SketchBins, index: number): number {
  let [low, high] = [0, bins.length >> 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (bins[2 * middle]! < index) low = middle + 1;
    else high = middle;
  }
  return 2 * low;
}
