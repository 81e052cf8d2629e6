import { chosenCases } from '#testkit';

// Faults of the apps of one system, one after the other: starting a system for each would take longer than most of
// them.
const faults = ['ingest', 'materializer', 'clocks', 'erasure', 'poison', 'client'];
for (const fault of chosenCases(faults, 3)) await import(`./faults/${fault}.js`);
