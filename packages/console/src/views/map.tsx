import type { Stream } from '#client';
import { mostRows, useResource } from '../app/resource.js';
import { hrefOf, parameter } from '../app/router.js';
import { client } from '../app/session.js';
import { grouped, short } from '../logic/format.js';
import { tributary, type Call } from '../logic/shell.js';
import { ofPrefix, systemMap, type MapEdge, type MapNode, type SystemMap } from '../logic/system-map.js';
import { visibleText } from '../logic/visible-text.js';
import { Form, UrlField } from '../parts/form.js';
import { AsOf, refreshMs } from '../parts/list.js';
import { Page } from '../parts/page.js';
import { Empty, Loaded, Problem } from '../parts/states.js';
import { DataTable, numberColumn, type Column } from '../parts/table.js';
import { Link, Status } from '../parts/values.js';
import { MapDrawing } from './map-drawing.js';
import { rateText, ratesOf } from './streams.js';

const mostNodes = 300;
const mostEdges = 1_000;

const calls: readonly Call[] = [
  ['/api/v1/pipelines', undefined, tributary('get', ['pipelines'])],
  ['/api/v1/projections', undefined, tributary('get', ['projections'])],
  ['/api/v1/subscriptions', undefined, tributary('get', ['subscriptions'])],
  ['/api/v1/streams', undefined, tributary('get', ['streams'])],
];

/** What the API says of the streams of the map. */
interface StreamStats {
  streams: ReadonlyMap<string, Stream>;
  /** Events a second of the last minutes, by stream. */
  rates: ReadonlyMap<string, number>;
}

/** Streams, pipelines, projections, subscriptions and webhooks, and what flows between them. */
export function MapView() {
  const jobs = useResource(readJobs, [], { everyMs: refreshMs });
  const streams = useResource(readStreams, [], { everyMs: refreshMs });
  return (
    <Page
      title="Map"
      about="Streams, the pipelines between them, and the projections, subscriptions and webhooks at their ends."
      calls={calls}
    >
      <div class="list-bar">
        <Form class="inline">
          <UrlField name="Names that begin with" isHidden of="prefix" placeholder="Name begins with" />
        </Form>
        <AsOf time={jobs.loadedAt} />
      </div>
      <Problem error={streams.error} isRepeated={streams.isRepeated} />
      <Loaded of={jobs}>
        {({ map, isPartial }) => (
          <>
            {isPartial && (
              <p class="notice">
                There are more than {grouped(mostRows)} pipelines, projections or subscriptions. The map has
                only the first of them.
              </p>
            )}
            <Shown map={map} stats={streams.data} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Shown({ map, stats }: { map: SystemMap; stats?: StreamStats }) {
  const prefix = parameter('prefix') ?? '';
  const { nodes, edges } = ofPrefix(map, prefix);
  if (map.nodes.length === 0)
    return (
      <Empty title="There are no pipelines, projections or subscriptions yet.">
        The map shows what they read and write. <a href={hrefOf(['streams'])}>The streams</a> are in a list.
      </Empty>
    );
  if (nodes.length === 0) return <Empty title={`No name begins with “${visibleText(prefix)}”.`} />;
  if (nodes.length > mostNodes || edges.length > mostEdges)
    return (
      <Empty title={`${grouped(nodes.length)} nodes with ${grouped(edges.length)} connections are too many.`}>
        The map shows at most {mostNodes} nodes and {grouped(mostEdges)} connections. Type the beginning of a
        name above.
      </Empty>
    );
  const used = new Set(map.nodes.filter(({ kind }) => kind === 'stream').map(({ name }) => name));
  const unused = [...(stats?.streams.keys() ?? [])].filter((name) => !used.has(name)).length;
  return (
    <>
      <MapDrawing nodes={nodes} edges={edges} hrefOf={addressOf} textOf={(node) => statsText(node, stats)} />
      {unused > 0 && (
        <p class="muted small">
          <a href={hrefOf(['streams'])}>{grouped(unused)} other streams</a> are neither read nor written by a
          pipeline, a projection or a subscription.
        </p>
      )}
      <h2>Connections</h2>
      <DataTable
        label="Connections"
        columns={columnsOf(stats)}
        rows={edges}
        keyOf={({ from, flow, to }) => `${from.id} ${flow} ${to.id}`}
      />
    </>
  );
}

function columnsOf(stats: StreamStats | undefined): readonly Column<MapEdge>[] {
  const cellOf = (node: MapNode, flow = '') => (
    <>
      <span class="muted small">
        {flow} {node.kind}
      </span>{' '}
      <Link href={addressOf(node)} text={node.name} />
    </>
  );
  const rateOf = ({ from, to }: MapEdge) => {
    const stream = [from, to].find(({ kind }) => kind === 'stream');
    return stream && stats?.streams.has(stream.name) ? (stats.rates.get(stream.name) ?? 0) : undefined;
  };
  /** The pipeline, the projection or the subscription that reads or writes. */
  const jobOf = ({ from, to }: MapEdge) => (to.kind === 'stream' ? from.job! : to.job!);
  return [
    { name: 'From', isHeading: true, cell: ({ from }) => cellOf(from) },
    { name: 'To', class: 'flow-to', cell: ({ flow, to }) => cellOf(to, flow) },
    { name: 'Status', cell: (edge) => <Status value={jobOf(edge).status} /> },
    {
      ...numberColumn<MapEdge>('Rate', rateOf, { show: rateText }),
      title: () => 'Ingested/s, last 5 min',
    },
    numberColumn<MapEdge>('Failed', (edge) => jobOf(edge).failed),
    numberColumn<MapEdge>('Parked', (edge) => jobOf(edge).parked),
    numberColumn<MapEdge>('Lag', (edge) => jobOf(edge).lag),
  ];
}

function addressOf({ kind, name, job }: MapNode): string {
  if (kind === 'webhook') return hrefOf(['pipelines', job!.name]);
  return hrefOf([`${kind}s`, name]);
}

/** Returns the numbers of a node in a few words. */
function statsText({ kind, name, job }: MapNode, stats: StreamStats | undefined): string {
  if (kind === 'webhook') return job!.retrying ? 'deliveries are repeated' : '';
  if (job) {
    const { processed, outstanding = 0, failed, parked, lag } = job;
    const done = processed === undefined ? `${short(outstanding)} out` : `${short(processed)} read`;
    const rejected = failed ? ` · ${short(failed)} failed` : parked ? ` · ${short(parked)} parked` : '';
    return `${done}${rejected} · lag ${short(lag)}`;
  }
  const stream = stats?.streams.get(name);
  if (!stream) return '';
  const rate = `${short(stream.events)} events · ${rateText(stats!.rates.get(name) ?? 0)}/s`;
  return stream.lag ? `${rate} · lag ${short(stream.lag)}` : rate;
}

async function readJobs(signal: AbortSignal): Promise<{ map: SystemMap; isPartial: boolean }> {
  const lists = await Promise.all([
    atMost(client.value.pipelines.list({ limit: 500 }, { signal })),
    atMost(client.value.projections.list({ limit: 500 }, { signal })),
    atMost(client.value.subscriptions.list({ limit: 500 }, { signal })),
  ]);
  const [pipelines, projections, subscriptions] = lists;
  const isPartial = lists.some((list) => list.length === mostRows);
  return { map: systemMap({ pipelines, projections, subscriptions }), isPartial };
}

async function readStreams(signal: AbortSignal): Promise<StreamStats> {
  const [streams, rates] = await Promise.all([
    atMost(client.value.streams.list({ limit: 500 }, { signal })),
    ratesOf(signal),
  ]);
  return { streams: new Map(streams.map((stream) => [stream.stream, stream])), rates };
}

/** Reads as many rows as a list may have. */
async function atMost<T>(list: AsyncIterable<T>): Promise<T[]> {
  const rows: T[] = [];
  for await (const row of list) {
    rows.push(row);
    if (rows.length === mostRows) break;
  }
  return rows;
}
