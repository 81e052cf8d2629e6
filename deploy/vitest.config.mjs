import { defineConfig } from 'vitest/config';

/** Configuration of `npm run check:deploy`: specs that need tools in addition to those of `npm test`. */
export default defineConfig({
  test: {
    include: ['dist/deploy/**/*.deploy.spec.js'],
    // Long enough for slow tests. It only ends tests that hang.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 60_000 } },
    maxWorkers: 2,
  },
});
