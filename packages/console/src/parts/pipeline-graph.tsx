import type { PipelineStep } from '#client';
import { nodeSize, pipelineGraph, type GraphNode } from '../logic/pipeline-graph.js';
import { short } from '../logic/format.js';
import { visibleText } from '../logic/visible-text.js';

interface GraphProps {
  source: { streams: readonly string[] };
  operators: readonly object[];
  steps: readonly PipelineStep[];
  /** Events that the pipeline has read. */
  processed: number;
}

/** Wide enough for the label beside the line to the first branch. */
const margin = { x: 64, y: 12 };

/** The operators of a pipeline as a drawing, with their counters. */
export function PipelineGraph({ source, operators, steps, processed }: GraphProps) {
  const graph = pipelineGraph(source, operators as Record<string, unknown>[]);
  const nodes = new Map(graph.nodes.map((node) => [node.path, node]));
  const counters = new Map(steps.map((step) => [step.path, step]));
  const [width, height] = [graph.width + 2 * margin.x, graph.height + 2 * margin.y];
  return (
    <div class="graph" role="region" aria-label="Graph" tabIndex={0}>
      <svg
        width={width}
        height={height}
        viewBox={`${-margin.x} ${-margin.y} ${width} ${height}`}
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
  // The label is on the side that the line does not come from.
  const side = x2 < x1 ? -1 : 1;
  return (
    <g>
      <path class="edge" d={`M${x1} ${y1}C${x1} ${middle} ${x2} ${middle} ${x2} ${y2}`} />
      {label && (
        <text class="edge-label" x={x2 + 6 * side} y={y2 - 8} text-anchor={side < 0 ? 'end' : 'start'}>
          {shortened(label, 24)}
          <title>{visibleText(label)}</title>
        </text>
      )}
    </g>
  );
}

function Node({ node, step, read }: { node: GraphNode; step?: PipelineStep; read?: number }) {
  const refused = step ? (['dropped', 'late', 'failed'] as const).filter((name) => step[name] > 0) : [];
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
      {read !== undefined && (
        <text class="node-count" x="12" y="61">
          {short(read)} read
        </text>
      )}
      {step && (
        <text class="node-count" x="12" y="61">
          {short(step.in)} in · {short(step.out)} out
          {refused.map((name) => ` · ${short(step[name])} ${name}`)}
        </text>
      )}
    </g>
  );
}

function shortened(text: string, most: number): string {
  const shown = visibleText(text);
  return shown.length > most ? `${shown.slice(0, most - 1)}…` : shown;
}
