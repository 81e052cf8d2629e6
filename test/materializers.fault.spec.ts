// Faults of one system with two materializers.
import './faults/materializers.js';
import './faults/streams.js';
