/**
 * Bounds of the number of instructions that RE2 compiles a regular expression to, computed in one pass over its text: a
 * repeated part is copied for each repetition, and nested repetitions multiply. Meaningless for an invalid one.
 */
export interface RegexInstructionBounds {
  /**
   * Lower bound: alternatives count as the largest of them, because RE2 merges them where it can. A part that matches
   * no character, such as `[^\s\S]`, counts, although RE2 leaves out its neighbours.
   */
  least: number;
  /** Upper bound of the instructions: the sum over all alternatives. The compile time is proportional to it. */
  most: number;
}

/** Returns bounds of the number of instructions that RE2 compiles this regular expression to, without compiling it. */
export function patternSize(source: string): RegexInstructionBounds {
  const open: Group[] = [];
  let group = new Group();
  for (const { groups = {} } of source.matchAll(tokens)) {
    const { quoted, position, flags, begin, end, or, repeat, from, to } = groups;
    if (quoted !== undefined) [...quoted].forEach(() => group.add(character));
    else if (begin !== undefined) {
      open.push(group);
      group = new Group(begin === '(' || begin.endsWith('>') ? instructionsOfCapture : 0);
    } else if (end !== undefined) {
      const inner = group;
      group = open.pop() ?? new Group();
      group.add(inner.end());
    } else if (or !== undefined) group.endAlternative();
    else if (repeat !== undefined) group.repeat(copiesOf(repeat, from, to));
    else if (flags === undefined) group.add(position === undefined ? character : instruction);
  }
  const { least, most } = group.end();
  return { least, most: most + instructionsOfProgram };
}

const tokens = new RegExp(
  [
    String.raw`\\Q(?<quoted>[^]*?)(?:\\E|$)`,
    String.raw`(?<position>[\^$]|\\[AbBz])`,
    String.raw`\\x(?:\{[\da-fA-F]*\}|[\da-fA-F]{2})|\\[pP](?:\{[^}]*\}|[^])|\\(?:0[0-7]{0,2}|[1-7][0-7]{1,2})|\\[^]`,
    String.raw`\[\^?\]?(?:\\[^]|\[:\^?\w+:\]|[^\]\\])*\]`,
    String.raw`(?<flags>\(\?[imsU-]*\))`,
    String.raw`(?<begin>\(\?P?<\w+>|\(\?[imsU-]*:|\()`,
    String.raw`(?<end>\))|(?<or>\|)`,
    String.raw`(?<repeat>[*+?]|\{(?<from>0|[1-9]\d*)(?<to>,(?:0|[1-9]\d*)?)?\})\??`,
    String.raw`[^]`,
  ].join('|'),
  'gu',
);

const character = { least: 1, most: 1, isCharacter: true };
const instruction = { ...character, isCharacter: false };
const nothing = { least: 0, most: 0, isCharacter: false };

/** Number of RE2 instructions at the beginning and end of a capturing group. */
const instructionsOfCapture = 2;
/** Number of RE2 instructions to choose between two alternatives, to skip a part, or to repeat it. */
const instructionsOfChoice = 1;
const instructionsOfProgram = 2;

interface Size extends RegexInstructionBounds {
  /** Whether the part is exactly one character. Alternatives of one character each compile to one instruction. */
  isCharacter: boolean;
}

class Group {
  private readonly all: Size = { least: 0, most: -instructionsOfChoice, isCharacter: true };
  private before: Size = nothing;
  private alternative: Size = nothing;
  private last: Size = nothing;

  constructor(private readonly own = 0) {}

  add(size: Size): void {
    const { least, most } = this.alternative;
    const isCharacter = most === 0 && size.isCharacter;
    this.alternative = { least: least + size.least, most: most + size.most, isCharacter };
    this.last = size;
  }

  /** Replaces the part of the regular expression that was added last by its repetition. */
  repeat({ copies, choices }: Copies): void {
    const { last, alternative } = this;
    const least = last.least * copies;
    const most = last.most * copies + choices * instructionsOfChoice;
    this.alternative = nothing;
    this.add({
      least: alternative.least - last.least,
      most: alternative.most - last.most,
      isCharacter: false,
    });
    this.add({ least, most, isCharacter: false });
  }

  endAlternative(): void {
    const { all, before, alternative } = this;
    all.least = Math.max(all.least, alternative.least);
    const isMerged = before.isCharacter && alternative.isCharacter;
    if (!isMerged) all.most += Math.max(alternative.most, 1) + instructionsOfChoice;
    all.isCharacter &&= alternative.isCharacter;
    this.before = alternative;
    this.alternative = this.last = nothing;
  }

  end(): Size {
    this.endAlternative();
    const { all, own } = this;
    return { least: all.least + own, most: all.most + own, isCharacter: all.isCharacter && own === 0 };
  }
}

/** Number of copies that RE2 makes of a repeated part, and number of choices between the copies. */
interface Copies {
  copies: number;
  choices: number;
}

function copiesOf(repeat: string, from: string | undefined, to: string | undefined): Copies {
  if (from === undefined) return { copies: 1, choices: repeat.startsWith('*') ? 2 : 1 };
  const least = Number(from);
  if (to === ',') return { copies: Math.max(least, 1), choices: 2 };
  const most = to === undefined ? least : Number(to.slice(1));
  return { copies: Math.max(least, most), choices: most === 0 ? 1 : Math.max(most - least, 0) };
}
