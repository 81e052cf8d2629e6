import { frameLength, nameLength, treeLength, type JsonMembers, type JsonTree } from './json-tree.js';

/** Maximum number of members of one object, because each name is compared with all others. */
const mostMembers = 24;
const mostLevels = 8;

const space = 0x20;
const quote = 0x22;
const comma = 0x2c;
const closeBracket = 0x5d;
const openBracket = 0x5b;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Values in `MergePatchBuffer.values` that begin a nested object, and end it. No JSON value has these texts. */
const begin = '{';
const end = '}';

/**
 * A merge patch of a small JSON object, applied without maps for the patch. One buffer is reused for all events, which
 * saves most of the memory that a fold allocates.
 */
export class MergePatchBuffer {
  private readonly names: string[] = [];
  private readonly values: string[] = [];
  private count = 0;
  private text = '';
  private at = 0;

  /**
   * Reads the patch from the JSON text of an object. Returns false if the text is not supported: it has an escape, an
   * object with many members or with two members of the same name, or deep nesting.
   */
  read(text: string): boolean {
    this.count = 0;
    this.text = text;
    this.at = 0;
    if (text.includes('\\')) return false;
    this.skipSpace();
    return this.readObject(0);
  }

  /** Applies the patch to an object in place, as `mergePatch` does. Returns the growth in characters of JSON. */
  applyTo(target: JsonMembers): number {
    this.at = 0;
    return this.apply(target);
  }

  private apply(target: JsonMembers): number {
    const before = target.size;
    let growth = 0;
    for (;;) {
      const name = this.names[this.at]!;
      const value = this.values[this.at++]!;
      if (value === end) return growth + frameLength(target.size) - frameLength(before);
      growth += value === begin ? this.applyObject(target, name) : setMember(target, name, value);
    }
  }

  private applyObject(target: JsonMembers, name: string): number {
    const before = target.get(name);
    if (before !== undefined && typeof before !== 'string') return this.apply(before);
    const members: JsonMembers = new Map();
    const length = frameLength(0) + this.apply(members);
    target.set(name, members);
    return before === undefined ? nameLength(name) + length : length - before.length;
  }

  private readObject(level: number): boolean {
    const first = this.count;
    this.at++;
    this.skipSpace();
    let members = 0;
    while (this.text.charCodeAt(this.at) !== closeBrace) {
      if (++members > mostMembers || !this.readMember(first, level)) return false;
      if (this.text.charCodeAt(this.at) === comma) this.at++;
      this.skipSpace();
    }
    this.at++;
    this.put('', end);
    return true;
  }

  private readMember(first: number, level: number): boolean {
    const { text } = this;
    const nameEnd = text.indexOf('"', this.at + 1);
    if (nameEnd < 0) return false;
    const name = text.slice(this.at + 1, nameEnd);
    if (this.isNamed(name, first)) return false;
    this.at = nameEnd + 1;
    this.skipSpace();
    this.at++;
    this.skipSpace();
    if (text.charCodeAt(this.at) === openBrace) {
      this.put(name, begin);
      if (level === mostLevels || !this.readObject(level + 1)) return false;
    } else {
      const start = this.at;
      this.skipValue();
      this.put(name, text.slice(start, this.at));
    }
    this.skipSpace();
    return true;
  }

  /** Returns whether the object whose members begin at `first` has a member with this name. */
  private isNamed(name: string, first: number): boolean {
    let level = 0;
    for (let i = first; i < this.count; i++) {
      const value = this.values[i]!;
      if (value === end) level--;
      else {
        if (level === 0 && this.names[i] === name) return true;
        if (value === begin) level++;
      }
    }
    return false;
  }

  private put(name: string, value: string): void {
    this.names[this.count] = name;
    this.values[this.count++] = value;
  }

  private skipValue(): void {
    const { text } = this;
    const code = text.charCodeAt(this.at);
    if (code === quote) this.at = this.afterString(this.at);
    else if (code === openBracket) this.skipList();
    else {
      let i = this.at;
      for (let next = code; next > space && next !== comma && next !== closeBrace;)
        next = text.charCodeAt(++i);
      this.at = i;
    }
  }

  private skipList(): void {
    const { text } = this;
    let level = 0;
    for (let i = this.at; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code === quote) i = this.afterString(i) - 1;
      else if (code === openBracket) level++;
      else if (code === closeBracket && --level === 0) {
        this.at = i + 1;
        return;
      }
    }
    this.at = text.length;
  }

  private afterString(start: number): number {
    const found = this.text.indexOf('"', start + 1);
    return found < 0 ? this.text.length : found + 1;
  }

  private skipSpace(): void {
    while (this.text.charCodeAt(this.at) <= space) this.at++;
  }
}

/** Sets or removes a member. Returns the number of characters by which the members grow, without braces and commas. */
function setMember(target: JsonMembers, name: string, value: string): number {
  const before = target.get(name);
  if (value !== 'null') {
    target.set(name, value);
    return before === undefined ? nameLength(name) + value.length : value.length - lengthOf(before);
  }
  if (before === undefined) return 0;
  target.delete(name);
  return -nameLength(name) - lengthOf(before);
}

function lengthOf(tree: JsonTree): number {
  return typeof tree === 'string' ? tree.length : treeLength(tree);
}
