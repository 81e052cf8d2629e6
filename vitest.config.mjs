import { defineConfig } from 'vitest/config';

const levels = ['unit', 'int', 'e2e', 'fault'];

// Specs run on what tsc emitted: exactly the code that runs in production, decorator metadata included.
const project = (name, suffix, extra = {}) => ({
  test: {
    name,
    // One level after the other, the quick ones first.
    sequence: { groupOrder: levels.indexOf(name) },
    include: [`dist/{apps,libs,local,test,demo,bench,deploy}/**/*${suffix}.spec.js`],
    // For what hangs, not for what is slow: nothing depends on how fast the machine is.
    testTimeout: 120_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
    ...extra,
  },
});

// More than there are cores: they wait for engines, for time-outs, sessions, restarts.
const engines = (...setUp) => ({
  globalSetup: setUp.map((name) => `dist/libs/testing/src/${name}.js`),
  maxWorkers: 3,
});

export default defineConfig({
  test: {
    projects: [
      // They share their modules: loading them for each took longer than the specs themselves.
      project('unit', '', { exclude: ['**/*.{int,e2e,fault,deploy,semantics}.spec.js'], isolate: false }),
      project('int', '.int', engines('global-engines')),
      project('e2e', '.e2e', engines('global-engines', 'global-stack')),
      project('fault', '.fault', { testTimeout: 600_000, maxWorkers: 4 }),
    ],
  },
});
