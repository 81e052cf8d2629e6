import type { PipelineStepStats } from '#client';
import { signal } from '@preact/signals';
import { nodeSize, pipelineGraph, type GraphNode } from '../logic/pipeline-graph.js';
import { short } from '../logic/format.js';
import { visibleText } from '../logic/visible-text.js';

/** Whether the window is as narrow as `narrow.css` says. */
const narrowWindow = matchMedia('(width < 860px)');
const isNarrow = signal(narrowWindow.matches);
narrowWindow.addEventListener('change', ({ matches }) => (isNarrow.value = matches));

interface GraphProps {
  source: { streams: readonly string[] };
  operators: readonly object[];
  steps: readonly PipelineStepStats[];
  /** Events that the pipeline has read. */
  processed: number;
}

/** Wide enough for the label beside the line to the first branch; a narrow drawing has its labels above the nodes. */
const margin = { x: 64, narrowX: 4, y: 12 };

/** The operators of a pipeline as a drawing, with their counters. */
export function PipelineGraph({ source, operators, steps, processed }: GraphProps) {
  const narrow = isNarrow.value;
  const graph = pipelineGraph(source, operators as Record<string, unknown>[], { isNarrow: narrow });
  const left = narrow ? margin.narrowX : margin.x;
  const nodes = new Map(graph.nodes.map((node) => [node.path, node]));
  const counters = new Map(steps.map((step) => [step.path, step]));
  const [width, height] = [graph.width + 2 * left, graph.height + 2 * margin.y];
  return (
    <div class="graph" role="region" aria-label="Graph" tabIndex={0}>
      <svg
        width={width}
        height={height}
        viewBox={`${-left} ${-margin.y} ${width} ${height}`}
        role="img"
        aria-label="Graph of the pipeline"
      >
        {graph.edges.map(({ from, to, label }) => (
          <Edge key={`${from} ${to}`} from={nodes.get(from)!} to={nodes.get(to)!} label={label} />
        ))}
        {graph.nodes.map((node) => (
          <Node
            key={node.path}
            node={node}
            step={counters.get(node.path)}
            read={node.path === 'source' ? processed : undefined}
          />
        ))}
      </svg>
    </div>
  );
}

function Edge({ from, to, label }: { from: GraphNode; to: GraphNode; label?: string }) {
  const [x1, y1] = [from.x + nodeSize.width / 2, from.y + nodeSize.height];
  const [x2, y2] = [to.x + nodeSize.width / 2, to.y];
  const middle = (y1 + y2) / 2;
  if (isNarrow.value && from.x !== to.x) {
    const y = to.y + nodeSize.height / 2;
    return (
      <g>
        <path class="edge" d={`M${from.x + 12} ${y1}V${y}H${to.x}`} />
        <path class="edge-end" d={`M${to.x} ${y}l-7 -4v8z`} />
        {label && <EdgeLabel text={label} x={to.x + 4} y={y2 - 8} />}
      </g>
    );
  }
  // The label is on the side that the line does not come from.
  const isLeft = x2 < x1;
  return (
    <g>
      <path class="edge" d={`M${x1} ${y1}C${x1} ${middle} ${x2} ${middle} ${x2} ${y2 - 4}`} />
      <path class="edge-end" d={`M${x2} ${y2}l-4 -7h8z`} />
      {label && <EdgeLabel text={label} x={isLeft ? x2 - 10 : x2 + 10} y={y2 - 8} isLeft={isLeft} />}
    </g>
  );
}

function EdgeLabel({ text, x, y, isLeft = false }: { text: string; x: number; y: number; isLeft?: boolean }) {
  return (
    <text class="edge-label" x={x} y={y} text-anchor={isLeft ? 'end' : 'start'}>
      {shortened(text, 24)}
      <title>{visibleText(text)}</title>
    </text>
  );
}

function Node({ node, step, read }: { node: GraphNode; step?: PipelineStepStats; read?: number }) {
  const rejected = step ? (['dropped', 'late', 'failed'] as const).filter((name) => step[name] > 0) : [];
  const passed = step && `${short(step.in)} in · ${short(step.out)} out`;
  const counts = read === undefined ? passed : `${short(read)} read`;
  const tone = step && step.failed > 0 ? 'bad' : step && step.late > 0 ? 'warn' : '';
  return (
    <g transform={`translate(${node.x} ${node.y})`} class={`node ${node.operator} ${tone}`}>
      <title>{visibleText(`${node.operator} ${node.label}`)}</title>
      <rect width={nodeSize.width} height={nodeSize.height} rx="8" />
      <text class="node-name" x="12" y="21">
        {node.operator}
      </text>
      <text class="node-label" x="12" y="40">
        {shortened(node.label, 30)}
      </text>
      {counts !== undefined && (
        <text class="node-count" x="12" y="61">
          {counts}
          {step && rejected.map((name) => ` · ${short(step[name])} ${name}`)}
        </text>
      )}
    </g>
  );
}

function shortened(text: string, most: number): string {
  const shown = visibleText(text);
  return shown.length > most ? `${shown.slice(0, most - 1)}…` : shown;
}
