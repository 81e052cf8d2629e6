/**
 * `TEST_ALL=1` runs what `npm test` has no time for: every broker with every fault, every port with the worst inputs, more
 * streams, a longer soak.
 */
export const testsAll = process.env.TEST_ALL === '1';
