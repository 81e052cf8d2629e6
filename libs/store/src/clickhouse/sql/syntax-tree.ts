/** A node of `EXPLAIN AST`: `Function count (alias n) (children 1)` is of kind `Function`, and its label `count (alias n) (children 1)`. */
export interface SyntaxNode {
  depth: number;
  kind: string;
  label: string;
}

/**
 * The lines of `EXPLAIN AST`, each a node, in the order of the tree. A name with a line break in it makes a line more;
 * it takes none away, and no check asks for less because of a line.
 */
export function syntaxNodes(explained: string): SyntaxNode[] {
  return explained
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, indent = '', kind = '', label = ''] = /^( *)(\S+) ?(.*)$/.exec(line) ?? [];
      return { depth: indent.length, kind, label };
    });
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
