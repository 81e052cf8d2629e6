import type { TestSystem } from '#testkit';
import { RecordingProxy } from '../baselines/recording-proxy.js';
import type { BenchContext } from '../bench.js';
import { pageRequest, timePages, type PageLatencies, type PageAndStoreRequests } from './time-pages.js';

const warmUpPages = 20;

/**
 * Measures the pages of each run of each kind in both ways. First it requests each page once through a proxy, to
 * record the requests to ClickHouse.
 */
export async function timeRuns(
  bench: BenchContext,
  stack: TestSystem,
  kinds: readonly (readonly (readonly string[])[])[],
): Promise<PageLatencies[][]> {
  const proxy = new RecordingProxy(bench.engines.clickhouseUrl);
  await relaunch(stack, { CLICKHOUSE_URL: await proxy.listen() });
  const recorded: PageAndStoreRequests[][][] = [];
  for (const runs of kinds) {
    const ofKind: PageAndStoreRequests[][] = [];
    for (const paths of runs) ofKind.push(await record(stack, proxy, paths));
    recorded.push(ofKind);
  }
  await relaunch(stack, {});
  await proxy.close();
  const urls = { system: stack.urls.query, clickhouse: bench.engines.clickhouseUrl };
  const times: PageLatencies[][] = [];
  for (const runs of recorded) {
    const ofKind: PageLatencies[] = [];
    for (const run of runs) {
      await timePages(run.slice(0, warmUpPages), urls);
      ofKind.push(await timePages(run, urls));
    }
    times.push(ofKind);
  }
  return times;
}

async function record(
  stack: TestSystem,
  proxy: RecordingProxy,
  paths: readonly string[],
): Promise<PageAndStoreRequests[]> {
  const recorded: PageAndStoreRequests[] = [];
  for (const path of paths) {
    proxy.take();
    const { status, text } = await stack.query.get(path);
    if (status !== 200) throw new Error(`${path} was answered with ${status}: ${text}`);
    recorded.push({ request: pageRequest(stack.urls.query, path, stack.key), direct: proxy.take() });
  }
  return recorded;
}

async function relaunch(stack: TestSystem, env: Record<string, string>): Promise<void> {
  await stack.gateway.stop();
  await stack.gateway.launch(env).ready();
}
