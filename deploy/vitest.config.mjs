import { defineConfig } from 'vitest/config';

/** `npm run check:deploy`: what needs tools that `npm test` does without. */
export default defineConfig({
  test: {
    include: ['dist/deploy/**/*.deploy.spec.js'],
    // For what hangs, not for what is slow.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 60_000 } },
    maxWorkers: 2,
  },
});
