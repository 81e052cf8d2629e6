import { chosenCases } from '#testkit';

// Faults of the engines of one system, one after the other: starting engines for each would take longer than most of
// them.
// The full disk is first, while all files are still small.
const faults = ['full-disk', 'clickhouse', 'store-troubles', 'kafka'];
for (const fault of chosenCases(faults, 2)) await import(`./faults/${fault}.js`);
