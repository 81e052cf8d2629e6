import { DataType, load, open } from 'ffi-rs';
import { clickHouseLibrary } from './clickhouse-library.js';

// Runs ClickHouse's own server in this process, with the arguments of `clickhouse-local`, until its standard input ends.
// The call blocks the main thread: no JavaScript runs meanwhile. It needs an ordinary thread's stack.
const args = ['clickhouse', ...process.argv.slice(2)];
open({ library: 'clickhouse', path: clickHouseLibrary() });
load({
  library: 'clickhouse',
  funcName: 'query_stable_v2',
  retType: DataType.I64,
  paramsType: [DataType.I32, DataType.StringArray],
  paramsValue: [args.length, args],
});
