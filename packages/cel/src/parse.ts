import { Environment, ParseError, type ASTNode } from '@marcbachmann/cel-js';
import type { BinaryOperator, ExpressionTree } from './expression-tree.js';
import { hasCharacters } from '#json';
import { limitPatterns } from './limit-patterns.js';
import { InvalidCelExpressionError } from './errors.js';
import { foreignWordAt, hintAt } from './hint.js';

/** Maximum number of characters of an expression. */
export const maxCharacters = 4096;
/** Maximum nodes of a syntax tree: more than a hand-written one needs, and few enough for a fast rejection. */
const maxNodes = 500;
const maxDepth = 32;

const environment = new Environment({
  unlistedVariablesAreDyn: true,
  homogeneousAggregateLiterals: false,
  limits: {
    maxAstNodes: maxNodes,
    maxDepth,
    maxListElements: 200,
    maxMapEntries: 100,
    maxCallArguments: 8,
  },
});

/**
 * Parses an expression in CEL (Common Expression Language).
 * @throws InvalidCelExpressionError if the text is not an expression, or exceeds a limit of length, depth or size
 * @throws RegexTooLargeError if its patterns are too large
 */
export function parseExpression(text: string): ExpressionTree {
  if (!hasCharacters(text, { least: 0, most: maxCharacters })) {
    throw new InvalidCelExpressionError(
      `An expression has at most ${maxCharacters} characters.`,
      maxCharacters,
    );
  }
  return limitPatterns(convert(parsed(text)));
}

function parsed(text: string): ASTNode {
  try {
    return environment.parse(text).ast;
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    const at = error.range?.start ?? error.node?.pos ?? 0;
    throw new InvalidCelExpressionError(refusal(error.summary, text, at), at);
  }
}

function refusal(summary: string, text: string, at: number): string {
  const word = foreignWordAt(text, at);
  const hint = hintAt(text, at);
  if (word === undefined && at >= text.trimEnd().length) {
    const early = `The expression ends too early: something is missing at its end (${summary})`;
    return hint === undefined ? `${early}.` : `${early}; ${hint}`;
  }
  const wrong = word === undefined ? summary : `Unexpected ${word}`;
  return hint === undefined ? wrong : `${wrong}; ${hint}`;
}

function convert(node: ASTNode): ExpressionTree {
  const at = node.pos;
  switch (node.op) {
    case 'value':
      return { kind: 'literal', value: literal(node.args, at), at };
    case 'id':
      return { kind: 'variable', name: node.args, at };
    case '.':
      return { kind: 'member', object: convert(node.args[0]), name: node.args[1], at };
    case '[]':
      return { kind: 'index', object: convert(node.args[0]), index: convert(node.args[1]), at };
    case 'call':
      return { kind: 'call', name: node.args[0], object: null, args: node.args[1].map(convert), at };
    case 'rcall': {
      const [name, object, args] = node.args;
      return { kind: 'call', name, object: convert(object), args: args.map(convert), at };
    }
    case 'list':
      return { kind: 'list', items: node.args.map(convert), at };
    case 'map':
      return {
        kind: 'map',
        entries: node.args.map(([key, value]): [ExpressionTree, ExpressionTree] => [
          convert(key),
          convert(value),
        ]),
        at,
      };
    case '?:': {
      const [test, then, otherwise] = node.args;
      return { kind: 'conditional', test: convert(test), then: convert(then), else: convert(otherwise), at };
    }
    case '!_':
      return { kind: 'unary', operator: '!', operand: convert(node.args), at };
    case '-_':
      return negated(convert(node.args), at);
    case '.?':
    case '[?]':
      throw new InvalidCelExpressionError('Optional members (.? and [?]) are not supported.', at);
    default:
      return binary(node.op, node.args, at);
  }
}

function binary(operator: BinaryOperator, args: [ASTNode, ASTNode], at: number): ExpressionTree {
  return { kind: 'binary', operator, left: convert(args[0]), right: convert(args[1]), at };
}

/** Converts a negation to a syntax node: the text `-5` becomes a number literal and not an operation. */
function negated(operand: ExpressionTree, at: number): ExpressionTree {
  if (
    operand.kind === 'literal' &&
    (typeof operand.value === 'number' || typeof operand.value === 'bigint')
  ) {
    return { kind: 'literal', value: -operand.value, at };
  }
  return { kind: 'unary', operator: '-', operand, at };
}

type CelJsLiteral = Extract<ASTNode, { op: 'value' }>['args'];

function literal(value: CelJsLiteral, at: number): string | number | bigint | boolean | null {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value;
  if (typeof value === 'boolean' || typeof value === 'bigint') return value;
  if (value instanceof Uint8Array)
    throw new InvalidCelExpressionError('Literals of bytes are not supported.', at);
  // The only other literal is an unsigned integer, such as 5u.
  return BigInt(value.toString());
}
