/**
 * A node of the syntax tree that ClickHouse's `EXPLAIN AST` prints. The line `Function count (alias n) (children 1)`
 * has the kind `Function` and the label `count (alias n) (children 1)`.
 */
export interface ExplainAstNode {
  depth: number;
  kind: string;
  label: string;
}

/**
 * Parses `EXPLAIN AST`: each line is a node, in depth-first order. The names in it must not contain line
 * breaks.
 */
export function syntaxNodes(explained: string): ExplainAstNode[] {
  return explained
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, indent = '', kind = '', label = ''] = /^( *)(\S+) ?(.*)$/.exec(line) ?? [];
      return { depth: indent.length, kind, label };
    });
}

/**
 * Whether each node of a parsed `EXPLAIN AST` has as many children as its label states, and the first node is the root
 * of all others.
 */
export function isConsistentTree(nodes: readonly ExplainAstNode[]): boolean {
  /** For each depth, the number of nodes that are still missing. */
  const missing = [1];
  for (const { depth, label } of nodes) {
    while (missing.at(-1) === 0) missing.pop();
    if (depth !== missing.length - 1) return false;
    missing[depth]! -= 1;
    missing.push(Number(/(?:^| )\(children (\d+)\)$/.exec(label)?.[1] ?? 0));
  }
  return missing.every((count) => count === 0);
}

/** Yields the descendants of the node at `index` in a syntax tree. */
export function* descendantsOf(nodes: readonly ExplainAstNode[], index: number): Generator<ExplainAstNode> {
  const top = nodes[index]?.depth ?? 0;
  for (let i = index + 1; (nodes[i]?.depth ?? -1) > top; i++) yield nodes[i]!;
}

/** Returns the name in the label of a syntax node, without its alias and its number of children. */
export function nodeName({ label }: ExplainAstNode): string {
  return label.replace(/ \((alias .*|children \d+)\)$/, '').replace(/ \(alias .*\)$/, '');
}
