import { defineConfig } from 'vitest/config';

/** `npm run check:semantics`: what needs Kafka Streams, which `npm test` does without. */
export default defineConfig({
  test: {
    include: ['dist/test/kafka-streams/**/*.semantics.spec.js'],
    globalSetup: ['dist/testkit/src/global-engines.js'],
    // For what hangs, not for what is slow.
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
