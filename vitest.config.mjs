import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { SlowestFirst } from './slowest-first.mjs';

const setUp = (...names) => names.map((name) => `dist/testkit/src/${name}.js`);

// Specs run on what tsc emitted: exactly the code that runs in production, decorator metadata included.
const project = (name, suffix, extra = {}) => ({
  test: {
    name,
    include: [`dist/{apps,libs,testkit,local,test,demo,bench,deploy,packages}/**/*${suffix}.spec.js`],
    // For what hangs, not for what is slow: nothing depends on how fast the machine is.
    testTimeout: 300_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
    setupFiles: setUp('patient-waits'),
    // What the specs import runs as it is; Vite transforms only the specs.
    server: { deps: { external: [/\/dist\/(?!.*\.spec\.js)/] } },
    ...extra,
  },
});

// After the unit specs, all together: those that wait for time-outs, sessions and restarts leave the processors to those that do not.
// So there are more than there are cores. A question to a running system costs its engines processor time: few each second.
const engines = {
  sequence: { groupOrder: 1 },
  maxWorkers: 6,
  expect: { poll: { timeout: 60_000, interval: 200 } },
};

// Specs that hold an engine still for seconds and must do much meanwhile, which a busy machine does not manage: at last, alone.
const alone = ['dist/test/backpressure.fault.spec.js'];

export default defineConfig({
  test: {
    sequence: { sequencer: SlowestFirst },
    projects: [
      // They share their modules: loading them for each took longer than the specs themselves. Some wait for timers, so there
      // is more than one worker also on two processors.
      project('unit', '', {
        exclude: ['**/*.{int,e2e,fault,deploy,semantics}.spec.js'],
        isolate: false,
        maxWorkers: Math.max(2, availableParallelism() - 1),
      }),
      project('int', '.int', { ...engines, globalSetup: setUp('global-engines') }),
      project('e2e', '.e2e', {
        ...engines,
        isolate: false,
        globalSetup: setUp('global-bundle', 'global-engines', 'global-stack'),
      }),
      // The files of faults share modules that start engines for the file that imports them: each file has modules of its own.
      project('fault', '.fault', {
        ...engines,
        globalSetup: setUp('global-bundle'),
        testTimeout: 600_000,
        exclude: alone,
      }),
      project('alone', '.fault', {
        include: alone,
        sequence: { groupOrder: 2 },
        globalSetup: setUp('global-bundle'),
      }),
    ],
  },
});
