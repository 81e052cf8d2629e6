import { Tributary } from '#client';
import { benchEvents } from '../workload.js';

/** A load of one process that writes with the client package and calls `send` for each event. */
export interface ClientPackageJob {
  url: string;
  stream: string;
  events: number;
  warmUpEvents: number;
  seed: number;
}

/** Throughput and processor time of a `ClientPackageJob`. */
export interface ClientPackageResult {
  events: number;
  seconds: number;
  eventsPerSecond: number;
  /** Processor time of the client for each event, in microseconds. */
  microsecondsPerEvent: number;
}

/** Events are generated in portions, because the memory of a million events would slow the client down. */
const portion = 50_000;

async function main({
  url,
  stream,
  events,
  warmUpEvents,
  seed,
}: ClientPackageJob): Promise<ClientPackageResult> {
  await using producer = new Tributary({ url }).producer();
  const made = benchEvents(portion, { stream, seed });
  const sendAll = async (count: number) => {
    const failures: unknown[] = [];
    for (let n = 0; n < count; n++) {
      if (n % 100 === 0) await producer.ready();
      producer.send(made[n % portion]!).catch((error: unknown) => failures.push(error));
    }
    await producer.flush();
    if (failures.length > 0) throw failures[0];
  };
  await sendAll(warmUpEvents);
  const [start, before] = [performance.now(), process.cpuUsage()];
  await sendAll(events);
  const [seconds, spent] = [(performance.now() - start) / 1000, process.cpuUsage(before)];
  const microsecondsPerEvent = (spent.user + spent.system) / events;
  return { events, seconds, eventsPerSecond: events / seconds, microsecondsPerEvent };
}

process.send!(await main(JSON.parse(process.argv[2]!) as ClientPackageJob));
process.disconnect();
