import { JsonScanner } from '#json';
import { limits } from '#event';

/** A JSON value of which only objects are parsed, into maps. Any other value, also a list, keeps its original text. */
export type JsonTree = string | JsonMembers;

/** Members of a JSON object in the order of arrival. No name is special, also not `__proto__` or `1`. */
export type JsonMembers = Map<string, JsonTree>;

/** Parses JSON text into a tree. @throws SyntaxError if the text is not valid JSON, or nested more deeply than `limits.jsonDepth` */
export function readTree(text: string): JsonTree {
  const reader = new TreeReader(text);
  return reader.read();
}

/** Returns the JSON text of a tree, without white space between members. */
export function treeText(tree: JsonTree): string {
  if (typeof tree === 'string') return tree;
  const members: string[] = [];
  for (const [name, value] of tree) members.push(`${JSON.stringify(name)}:${treeText(value)}`);
  return `{${members.join(',')}}`;
}

/** Returns the number of characters that `treeText` would return, without creating the text. */
export function treeLength(tree: JsonTree): number {
  if (typeof tree === 'string') return tree.length;
  let length = frameLength(tree.size);
  for (const [name, value] of tree) length += nameLength(name) + treeLength(value);
  return length;
}

/** Returns the number of characters of an object's braces and commas. */
export function frameLength(members: number): number {
  return members === 0 ? 2 : members + 1;
}

/** Matches characters that JSON.stringify may escape. JSON.stringify escapes surrogates only if they are unpaired. */
const escaped = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;

/** Returns the number of characters of a member's name as JSON, with its quotes, escapes and the colon after it. */
export function nameLength(name: string): number {
  return (escaped.test(name) ? JSON.stringify(name).length : name.length + 2) + 1;
}

class TreeReader {
  private readonly scanner: JsonScanner;
  private at = 0;

  constructor(private readonly text: string) {
    this.scanner = new JsonScanner(text);
  }

  read(): JsonTree {
    this.skipSpace();
    const tree = this.value(0);
    this.skipSpace();
    if (this.at < this.text.length) throw this.failure();
    return tree;
  }

  private value(level: number): JsonTree {
    if (this.text[this.at] === '{') return this.members(level + 1);
    return this.text.slice(this.at, this.moved(this.scanner.value(this.at, level)));
  }

  private members(level: number): JsonMembers {
    if (level > limits.jsonDepth) throw this.failure();
    const members: JsonMembers = new Map();
    this.at++;
    this.skipSpace();
    if (this.taken('}')) return members;
    for (;;) {
      const name = this.name();
      this.skipSpace();
      if (!this.taken(':')) throw this.failure();
      this.skipSpace();
      members.set(name, this.value(level));
      this.skipSpace();
      if (this.taken('}')) return members;
      if (!this.taken(',')) throw this.failure();
      this.skipSpace();
    }
  }

  private name(): string {
    const start = this.at;
    if (this.text[start] !== '"') throw this.failure();
    const end = this.moved(this.scanner.string(start + 1));
    if (!this.scanner.escaped) return this.text.slice(start + 1, end - 1);
    return JSON.parse(this.text.slice(start, end)) as string;
  }

  private taken(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at++;
    return true;
  }

  private moved(end: number): number {
    if (end < 0) throw this.failure();
    return (this.at = end);
  }

  private skipSpace(): void {
    this.at = this.scanner.space(this.at);
  }

  private failure(): SyntaxError {
    return new SyntaxError(`not JSON at character ${this.at}`);
  }
}
