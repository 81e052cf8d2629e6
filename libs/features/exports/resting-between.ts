/** Longest rest between two pages, in milliseconds. */
const longestRestMs = 200;

/**
 * Yields all pages. While others need the processors, rests before each page for as long as reading and consuming the
 * page before it took, but at most 200 ms. So an export takes at most half of the time from the queries beside it, and
 * does not wait when there are none.
 */
export async function* restingBetween<T>(
  pages: AsyncIterable<T>,
  areOthersBusy: () => boolean,
): AsyncGenerator<T, void, void> {
  let began = performance.now();
  for await (const page of pages) {
    yield page;
    if (areOthersBusy()) await rest(Math.min(performance.now() - began, longestRestMs));
    began = performance.now();
  }
}

function rest(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
