import { describe, expect, it } from 'vitest';
import { layeredGraph, type GraphLine } from './layered-graph.js';

const sizes = { node: { width: 100, height: 40 }, gap: { x: 50, y: 10 } };

/** Lays out a graph whose lines are given as `a>b`. */
function laidOut(...texts: string[]) {
  const lines = texts.map((text): GraphLine => {
    const [from = '', to = ''] = text.split('>');
    return { from, to };
  });
  const ids = [...new Set(lines.flatMap(({ from, to }) => [from, to]))];
  return layeredGraph(ids, lines, sizes);
}

const layersOf = ({ nodes }: ReturnType<typeof laidOut>) =>
  Object.fromEntries(nodes.map(({ id, x }) => [id, x / 150]));

describe('the layout of a layered graph', () => {
  it('places a node right of all that lead to it: the longest way decides', () => {
    expect(layersOf(laidOut('a>b', 'b>c', 'a>c', 'c>d'))).toEqual({ a: 0, b: 1, c: 2, d: 3 });
  });

  it('has nodes in the order of layers, and no two of them overlap', () => {
    const texts = Array.from({ length: 40 }, (_, i) => `s${i % 7}>p${i}`);
    const { nodes, height } = laidOut(...texts, ...texts.map((_, i) => `p${i}>t${i % 5}`));
    expect(nodes.map(({ x }) => x)).toEqual(nodes.map(({ x }) => x).sort((a, b) => a - b));
    for (const [i, a] of nodes.entries())
      for (const b of nodes.slice(i + 1))
        if (a.x === b.x) expect(Math.abs(a.y - b.y), `${a.id} ${b.id}`).toBeGreaterThanOrEqual(49);
    for (const { y } of nodes) {
      expect(y).toBeGreaterThanOrEqual(-1);
      expect(y + 40).toBeLessThanOrEqual(height + 1);
    }
  });

  it('orders a layer so that lines need not cross', () => {
    const { nodes } = laidOut('a>z', 'b>y', 'c>x');
    const heights = new Map(nodes.map(({ id, y }) => [id, y]));
    for (const [from, to] of ['az', 'by', 'cx']) expect(heights.get(to!)).toBe(heights.get(from!));
  });

  it('leads a line that passes a layer around the nodes there', () => {
    const { nodes, lines } = laidOut('a>b', 'b>c', 'a>c');
    const { points } = lines[2]!;
    expect(points).toHaveLength(4);
    const passed = nodes.find(({ id }) => id === 'b')!;
    const [, y] = points[1]!;
    expect(y < passed.y || y > passed.y + 40).toBe(true);
  });

  it('draws a line that closes a cycle back, and no other', () => {
    const { lines, ...graph } = laidOut('a>b', 'b>c', 'c>a');
    expect(layersOf({ lines, ...graph })).toEqual({ a: 0, b: 1, c: 2 });
    const isBack = ({ points }: (typeof lines)[number]) => points[0]![0] > points.at(-1)![0];
    expect(lines.filter(isBack).map(({ from, to }) => `${from}>${to}`)).toEqual(['c>a']);
  });

  it('is empty without nodes', () => {
    expect(layeredGraph([], [], sizes)).toMatchObject({ nodes: [], lines: [], height: 0 });
  });
});
