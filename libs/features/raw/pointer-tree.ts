import { jsonValue, type JsonScanner } from '#json';

const quote = 0x22;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

interface Step {
  name: string;
  /** Indexes, in the list of JSON pointers, of the pointers whose last segment is this step. */
  ends: number[];
  steps: Step[];
}

/** Finds the values of several JSON pointers (RFC 6901) in one pass over the text, without parsing it. */
export class JsonPointerScanner {
  /**
   * Begin and end, in the text, of the value that each pointer found, one pair after the other; -1 if it found none.
   */
  readonly spans: Int32Array;
  private readonly root: Step = { name: '', ends: [], steps: [] };
  private missing = 0;

  /** @param pointers Valid, non-empty JSON pointers. */
  constructor(private readonly pointers: readonly string[]) {
    this.spans = new Int32Array(2 * pointers.length);
    pointers.forEach((pointer, index) => this.add(pointer, index));
  }

  /** Looks the pointers up in the JSON value at `start`, which must be valid, and sets `spans`. */
  find(scanner: JsonScanner, start: number): void {
    this.spans.fill(-1);
    this.missing = this.pointers.length;
    if (this.missing > 0) this.enter(scanner, start, this.root.steps);
  }

  private add(pointer: string, index: number): void {
    let { root: step } = this;
    for (const token of pointer.slice(1).split('/')) {
      const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
      let next = step.steps.find((known) => known.name === name);
      if (!next) step.steps.push((next = { name, ends: [], steps: [] }));
      step = next;
    }
    step.ends.push(index);
  }

  /** Returns the index after the value at `start`, or -1 when all pointers have been found before the value's end. */
  private enter(scanner: JsonScanner, start: number, steps: readonly Step[]): number {
    const code = scanner.text.charCodeAt(start);
    if (steps.length > 0 && code === openBrace) return this.members(scanner, start + 1, steps);
    if (steps.length > 0 && code === openBracket) return this.elements(scanner, start + 1, steps);
    return scanner.value(start, 0);
  }

  private members(scanner: JsonScanner, start: number, steps: readonly Step[]): number {
    const { text } = scanner;
    let i = scanner.space(start);
    if (text.charCodeAt(i) === closeBrace) return i + 1;
    for (;;) {
      const end = scanner.string(i + 1);
      const step = scanner.escaped ? stepOfEscaped(text.slice(i, end), steps) : stepOf(text, i + 1, steps);
      i = this.value(scanner, scanner.space(scanner.space(end) + 1), step);
      if (i < 0) return -1;
      i = scanner.space(i);
      if (text.charCodeAt(i) === closeBrace) return i + 1;
      i = scanner.space(i + 1);
    }
  }

  private elements(scanner: JsonScanner, start: number, steps: readonly Step[]): number {
    const { text } = scanner;
    let i = scanner.space(start);
    if (text.charCodeAt(i) === closeBracket) return i + 1;
    for (let index = 0; ; index++) {
      const name = String(index);
      const step = steps.find((known) => known.name === name);
      i = this.value(scanner, i, step);
      if (i < 0) return -1;
      i = scanner.space(i);
      if (text.charCodeAt(i) === closeBracket) return i + 1;
      i = scanner.space(i + 1);
    }
  }

  private value(scanner: JsonScanner, start: number, step: Step | undefined): number {
    if (!step) return scanner.value(start, 0);
    const end = this.enter(scanner, start, step.steps);
    if (end < 0) return -1;
    for (const index of step.ends) {
      this.spans[2 * index] = start;
      this.spans[2 * index + 1] = end;
      this.missing--;
    }
    return this.missing === 0 ? -1 : end;
  }
}

/**
 * Returns the step whose name is the member name that begins at `start` of the text; undefined if no pointer continues
 * with this name.
 */
function stepOf(text: string, start: number, steps: readonly Step[]): Step | undefined {
  for (const step of steps) {
    const { name } = step;
    if (text.charCodeAt(start + name.length) === quote && text.startsWith(name, start)) return step;
  }
  return undefined;
}

function stepOfEscaped(literal: string, steps: readonly Step[]): Step | undefined {
  const name = jsonValue(literal);
  return steps.find((step) => step.name === name);
}
