import { useResource } from '../app/resource.js';
import { hrefOf } from '../app/router.js';
import { client } from '../app/session.js';
import { Loaded } from '../parts/states.js';
import { Count, Text } from '../parts/values.js';

const most = 6;

/** The streams into which the most events were ingested in the last hour. */
export function BusiestStreams({ everyMs }: { everyMs: number }) {
  const streams = useResource(busiest, [], { everyMs });
  if (streams.data?.length === 0) return null;
  return (
    <section class="card" aria-label="Busiest streams">
      <h2>Busiest streams of the last hour, by ingested events</h2>
      <Loaded of={streams}>
        {(items) => (
          <ul class="ranking">
            {items.map(({ stream, count }) => (
              <li key={stream}>
                <a href={hrefOf(['streams', stream])}>
                  <Text value={stream} />
                </a>
                <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
                  <rect width={(100 * count) / items[0]!.count} height="1" />
                </svg>
                <Count value={count} />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  );
}

async function busiest(signal: AbortSignal): Promise<{ stream: string; count: number }[]> {
  const now = Date.now();
  const times = { since: new Date(now - 3_600_000), until: new Date(now) };
  const { buckets } = await client.value.count(
    { ...times, group_by: 'stream', time: 'ingested_at' },
    { signal },
  );
  const streams = buckets.map(({ group, count }) => ({ stream: group ?? '', count }));
  return streams.sort((a, b) => b.count - a.count).slice(0, most);
}
