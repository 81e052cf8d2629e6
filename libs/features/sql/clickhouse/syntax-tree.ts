import { SqlRejectedError } from './analyst-sql.js';

/**
 * A node of the syntax tree that ClickHouse's `EXPLAIN AST` prints: `Function count (alias n) (children 1)` has the kind
 * `Function`, the name `count` and the alias `n`.
 */
export interface SyntaxNode {
  readonly kind: string;
  readonly name: string;
  readonly alias: string | undefined;
  readonly children: readonly SyntaxNode[];
}

/** A node while it is parsed. */
interface OpenNode extends SyntaxNode {
  readonly children: SyntaxNode[];
  readonly expected: number;
}

/**
 * Parses `EXPLAIN AST`, in which each line is a node. Returns the nodes in depth-first order, the root first. The names
 * in it must be those that `assertPlainNames` accepts. Takes time in proportion to the text.
 * @throws SqlRejectedError unless each node has as many children as its line states, and the first node is the root of
 * all others
 */
export function syntaxNodes(explained: string): SyntaxNode[] {
  const nodes: SyntaxNode[] = [];
  /** The last node and its ancestors, the root first. */
  const open: OpenNode[] = [];
  const close = (depth: number) => {
    for (const { children, expected } of open.splice(depth))
      if (children.length !== expected) throw ambiguous();
  };
  for (const line of explained.split('\n')) {
    const text = line.trimStart();
    if (text === '') continue;
    const depth = line.length - text.length;
    if (depth > open.length || (depth === 0 && nodes.length > 0)) throw ambiguous();
    close(depth);
    const node = nodeOf(text);
    open.at(-1)?.children.push(node);
    open.push(node);
    nodes.push(node);
  }
  close(0);
  if (nodes.length === 0) throw ambiguous();
  return nodes;
}

/** Returns the arguments of a function, and its parameters behind them. */
export function argumentsOf(node: SyntaxNode): SyntaxNode[] {
  return node.children.flatMap(({ kind, children }) => (kind === 'ExpressionList' ? children : []));
}

// Searches with `indexOf`: regular expressions take quadratic time for names that repeat what they look for.
function nodeOf(text: string): OpenNode {
  const [kind = ''] = /^\S+/.exec(text)!;
  const childrenAt = text.lastIndexOf(' (children ');
  const count = childrenAt < 0 ? undefined : /^ \(children (\d+)\)$/.exec(text.slice(childrenAt))?.[1];
  const label = text.slice(kind.length, count === undefined ? undefined : childrenAt);
  const aliasAt = label.endsWith(')') ? label.lastIndexOf(' (alias ') : -1;
  return {
    kind,
    name: (aliasAt < 0 ? label : label.slice(0, aliasAt)).slice(1),
    alias: aliasAt < 0 ? undefined : label.slice(aliasAt + ' (alias '.length, -1),
    children: [],
    expected: Number(count ?? 0),
  };
}

function ambiguous(): SqlRejectedError {
  return new SqlRejectedError('A statement with an ambiguous syntax tree is not allowed');
}
