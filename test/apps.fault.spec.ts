// Faults of the apps of one system, one after the other: starting a system for each would take longer than most of
// them.
import './faults/ingest.js';
import './faults/materializer.js';
import './faults/clocks.js';
import './faults/erasure.js';
import './faults/poison.js';
import './faults/client.js';
