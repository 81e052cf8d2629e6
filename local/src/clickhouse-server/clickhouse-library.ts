import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * Returns the path of the library that contains ClickHouse's own server. npm installs it as an optional dependency of
 * `chdb` on Linux with glibc and on macOS.
 * @throws an Error that says what to use instead, on other systems
 */
export function clickHouseLibrary(): string {
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
