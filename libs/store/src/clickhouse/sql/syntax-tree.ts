/** A node of `EXPLAIN AST`: `Function count (alias n) (children 1)` is of kind `Function`, and its label `count (alias n) (children 1)`. */
export interface SyntaxNode {
  depth: number;
  kind: string;
  label: string;
}

/** The lines of `EXPLAIN AST`, each a node, in the order of the tree. Names without line breaks are required. */
export function syntaxNodes(explained: string): SyntaxNode[] {
  return explained
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, indent = '', kind = '', label = ''] = /^( *)(\S+) ?(.*)$/.exec(line) ?? [];
      return { depth: indent.length, kind, label };
    });
}

/** Whether each node has as many children as it says, and the first one has all others below it. */
export function isWhole(nodes: readonly SyntaxNode[]): boolean {
  /** For each depth, the nodes that are still to come there. */
  const missing = [1];
  for (const { depth, label } of nodes) {
    while (missing.at(-1) === 0) missing.pop();
    if (depth !== missing.length - 1) return false;
    missing[depth]! -= 1;
    missing.push(Number(/(?:^| )\(children (\d+)\)$/.exec(label)?.[1] ?? 0));
  }
  return missing.every((count) => count === 0);
}

/** The nodes below the one at `index`. */
export function* below(nodes: readonly SyntaxNode[], index: number): Generator<SyntaxNode> {
  const top = nodes[index]?.depth ?? 0;
  for (let i = index + 1; (nodes[i]?.depth ?? -1) > top; i++) yield nodes[i]!;
}

/** The name at the beginning of a label. */
export function nameOf({ label }: SyntaxNode): string {
  return label.replace(/ \((alias .*|children \d+)\)$/, '').replace(/ \(alias .*\)$/, '');
}
