/**
 * `TEST_ALL=1` runs the cases that are too slow for `npm test`: every broker with every fault, every port with the
 * worst inputs, more rounds of each fault, more streams, a longer soak.
 */
export const testsAll = process.env.TEST_ALL === '1';
