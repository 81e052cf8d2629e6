// Faults of the engines of one system, one after the other: starting engines for each would take longer than most of
// them.
// The full disk is first, while all files are still small.
import './faults/full-disk.js';
import './faults/clickhouse.js';
import './faults/store-troubles.js';
import './faults/kafka.js';
