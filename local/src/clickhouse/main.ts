import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { DataType, load, open } from 'ffi-rs';

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

/**
 * Returns the path of the library that contains ClickHouse's own server. npm installs it as an optional dependency of
 * `chdb` on Linux with glibc and on macOS.
 * @throws an Error that says what to use instead, on other systems
 */
function clickHouseLibrary(): string {
  const { platform, arch } = process;
  const name = `@chdb/lib-${platform}-${arch}${platform === 'linux' ? '-gnu' : ''}`;
  const fromChdb = createRequire(createRequire(import.meta.url).resolve('chdb/package.json'));
  try {
    return join(dirname(fromChdb.resolve(`${name}/package.json`)), 'libchdb.so');
  } catch (cause) {
    const detail = `npm has not installed ${name}, which contains ClickHouse. Run npm ci again, or set CLICKHOUSE_URL to a ClickHouse server.`;
    throw new Error(detail, { cause });
  }
}
