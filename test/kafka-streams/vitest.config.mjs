import { defineConfig } from 'vitest/config';

/** `npm run check:semantics`: the specs that need Kafka Streams, which `npm test` does not need. */
export default defineConfig({
  test: {
    include: ['dist/test/kafka-streams/**/*.semantics.spec.js'],
    globalSetup: ['dist/testkit/src/global-engines.js'],
    // Both specs start a system and Kafka Streams.
    fileParallelism: false,
    // These limits detect hanging tests, not slow ones.
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
