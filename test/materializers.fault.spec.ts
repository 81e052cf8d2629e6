// What two materializers of one system share.
import './faults/materializers.js';
import './faults/streams.js';
