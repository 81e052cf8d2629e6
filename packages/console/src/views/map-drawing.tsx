import { useMemo, useState } from 'preact/hooks';
import { layeredGraph, type Point } from '../logic/layered-graph.js';
import { toneOf, type MapNode, type SystemMap } from '../logic/system-map.js';
import { visibleText } from '../logic/visible-text.js';
import { SidewaysRegion } from '../parts/table.js';
import { Status, Text } from '../parts/values.js';

const sizes = { node: { width: 190, height: 74 }, gap: { x: 56, y: 18 } };
const nodeStyle = { width: `${sizes.node.width}px`, height: `${sizes.node.height}px` };
/** Space for the outline of a node that has the focus. */
const margin = 6;

interface MapDrawingProps extends SystemMap {
  hrefOf: (node: MapNode) => string;
  /** Returns the numbers of a node. */
  textOf: (node: MapNode) => string;
}

/** The nodes as links in layers, over lines between them. The lines of the node under the pointer stand out. */
export function MapDrawing({ nodes, edges, hrefOf, textOf }: MapDrawingProps) {
  const [active, setActive] = useState<string>();
  const shape = JSON.stringify([
    nodes.map(({ id }) => id),
    edges.map(({ from, to, flow }) => [from.id, to.id, flow]),
  ]);
  const layout = useMemo(() => {
    const lines = edges.map(({ from, to }) => ({ from: from.id, to: to.id }));
    return layeredGraph(
      nodes.map(({ id }) => id),
      lines,
      sizes,
    );
  }, [shape]);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const [width, height] = [layout.width + 2 * margin, layout.height + 2 * margin];
  return (
    <SidewaysRegion class="map card" label="Drawing of the map" hint="Scroll the drawing sideways">
      <div class="map-area" style={{ width: `${width}px`, height: `${height}px` }}>
        <svg
          width={width}
          height={height}
          viewBox={`${-margin} ${-margin} ${width} ${height}`}
          aria-hidden="true"
        >
          {layout.lines.map(({ from, to, points }, i) => (
            <g key={i} class={`flow ${active === from || active === to ? 'active' : ''}`}>
              <path class={`edge ${edges[i]!.flow === 'looked up by' ? 'lookup' : ''}`} d={pathOf(points)} />
              <path class="edge-end" d={endOf(points)} />
            </g>
          ))}
        </svg>
        <ul aria-label="Nodes">
          {layout.nodes.map(({ id, x, y }) => {
            const node = byId.get(id)!;
            return (
              <li key={id} style={{ ...nodeStyle, left: `${x + margin}px`, top: `${y + margin}px` }}>
                <a
                  class={`map-node ${node.kind} ${toneOf(node) ?? ''}`}
                  href={hrefOf(node)}
                  title={visibleText(node.name)}
                  onPointerEnter={() => setActive(id)}
                  onPointerLeave={() => setActive(undefined)}
                  onFocus={() => setActive(id)}
                  onBlur={() => setActive(undefined)}
                >
                  <span class="map-kind">
                    <span class="muted">{node.kind}</span>
                    {statusOf(node)}
                  </span>
                  <strong>
                    <Text value={node.name} />
                  </strong>
                  <span class="muted digits">{textOf(node)}</span>
                </a>
              </li>
            );
          })}
        </ul>
      </div>
    </SidewaysRegion>
  );
}

/** Shows the status of a job; of a webhook only that it does not accept. */
function statusOf({ kind, job }: MapNode) {
  if (!job) return null;
  if (kind === 'webhook') return job.retrying ? <Status value="failing" /> : null;
  return <Status value={job.status} />;
}

/** A line through the points: curved between two layers, straight where it passes one. */
function pathOf(points: readonly Point[]): string {
  const [[x, y], ...rest] = points as [Point, ...Point[]];
  let [lastX, lastY] = [x, y];
  let path = `M${x} ${y}`;
  rest.forEach(([x, y], i) => {
    const end = i === rest.length - 1 ? x - 6 : x;
    const bend = Math.max(30, Math.abs(end - lastX) / 2);
    path += i % 2 === 0 ? `C${lastX + bend} ${lastY} ${end - bend} ${y} ${end} ${y}` : `H${end}`;
    [lastX, lastY] = [end, y];
  });
  return path;
}

function endOf(points: readonly Point[]): string {
  const [x, y] = points.at(-1)!;
  return `M${x} ${y}l-7 -4v8z`;
}
