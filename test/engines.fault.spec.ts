// What happens to the engines of one system, in turn: starting them for each takes longer than most of these.
// First, while no file is large yet.
import './faults/full-disk.js';
import './faults/clickhouse.js';
import './faults/store-troubles.js';
import './faults/kafka.js';
