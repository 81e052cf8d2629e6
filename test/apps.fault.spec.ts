// What happens to the apps of one system, in turn: starting it for each takes longer than most of these.
import './faults/ingest.js';
import './faults/materializer.js';
import './faults/clocks.js';
import './faults/erasure.js';
import './faults/poison.js';
import './faults/client.js';
