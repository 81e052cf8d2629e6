import { ExactNumber } from './decimal.js';
import { unlimitedMeter, type StepMeter } from './step-meter.js';

/**
 * Returns a text that is the same for two JSON values exactly if they are equal in the sense of JSON Schema: numbers by
 * value, members of objects in any order. Any member name is safe (`valueOf`, `constructor`). The function is meant for
 * values in schemas, which are small.
 */
export function canonicalText(value: unknown): string {
  if (typeof value === 'number') return Number.isFinite(value) ? JSON.stringify(value) : String(value);
  if (!isStructure(value)) return JSON.stringify(value) ?? 'undefined';
  if (Array.isArray(value)) return `[${value.map(canonicalText).join()}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalText(member)}`).join()}}`;
}

/** Returns a test whether a value equals one of `values`; its time does not depend on their number. */
export function isOneOf(values: readonly unknown[]): (value: unknown, meter: StepMeter) => boolean {
  const scalars = new Set(values.filter((value) => !isStructure(value)));
  const structures = new JsonValueSet();
  for (const value of values) if (isStructure(value)) structures.add(value, unlimitedMeter);
  return (value, meter) => {
    if (!isStructure(value)) return scalars.has(value);
    return structures.size > 0 && !(value instanceof ExactNumber) && structures.has(value, meter);
  };
}

/** Whether no two items are equal. The time grows with the total size of the items, not with their pairs. */
export function areUnique(items: readonly unknown[], meter: StepMeter): boolean {
  const scalars = new Set<unknown>();
  const structures = new JsonValueSet();
  for (const item of items) {
    meter.charge(4);
    if (isStructure(item)) {
      if (!structures.add(item, meter)) return false;
    } else if (scalars.size === scalars.add(item).size) return false;
  }
  return true;
}

/** A hash set of objects, arrays and exact numbers; the set makes no copies of its values. */
class JsonValueSet {
  size = 0;
  private readonly byHash = new Map<number, object[]>();

  /** Adds a value; returns false if an equal value is already present. */
  add(value: object, meter: StepMeter): boolean {
    const hash = hashOf(value, meter);
    const others = this.byHash.get(hash);
    if (others?.some((other) => areEqual(value, other, meter))) return false;
    if (others) others.push(value);
    else this.byHash.set(hash, [value]);
    this.size++;
    return true;
  }

  has(value: object, meter: StepMeter): boolean {
    return this.byHash.get(hashOf(value, meter))?.some((other) => areEqual(value, other, meter)) ?? false;
  }
}

const numbers = new Float64Array(1);
const words = new Uint32Array(numbers.buffer);

/** Returns the same hash for equal values. The charged steps are proportional to the size of the value. */
function hashOf(value: unknown, meter: StepMeter): number {
  meter.charge(1);
  if (typeof value === 'string') return hashOfText(value, meter);
  if (typeof value === 'number') {
    numbers[0] = value === 0 ? 0 : value;
    return mixed(words[0]!, words[1]!);
  }
  if (!isStructure(value)) return value === null ? 1 : value === true ? 2 : 3;
  if (value instanceof ExactNumber) return hashOfText(value.text, meter);
  let hash = Array.isArray(value) ? 5 : 7;
  if (Array.isArray(value)) {
    for (const item of value) hash = mixed(hash, hashOf(item, meter));
    return hash;
  }
  // The order of members does not matter, so their hashes are added.
  for (const name of meter.namesOf(value)) {
    meter.charge(3);
    hash = (hash + mixed(hashOfText(name, meter), hashOf((value as JsonMembers)[name], meter))) | 0;
  }
  return hash;
}

type JsonMembers = Record<string, unknown>;

function hashOfText(text: string, meter: StepMeter): number {
  meter.charge(text.length >> 3);
  let hash = text.length;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
  return hash;
}

function mixed(a: number, b: number): number {
  const hash = Math.imul(a ^ (b >>> 15), 0x2c1b3c6d) + Math.imul(b ^ (a >>> 13), 0x297a2d39);
  return (hash ^ (hash >>> 16)) | 0;
}

function areEqual(a: unknown, b: unknown, meter: StepMeter): boolean {
  meter.charge(1);
  if (!isStructure(a) || !isStructure(b)) return a === b;
  if (a instanceof ExactNumber || b instanceof ExactNumber)
    return a instanceof ExactNumber && b instanceof ExactNumber && a.text === b.text;
  if (Array.isArray(a) || Array.isArray(b)) return areEqualLists(a, b, meter);
  const names = meter.namesOf(a);
  return (
    names.length === meter.namesOf(b).length &&
    names.every(
      (name) => Object.hasOwn(b, name) && areEqual((a as JsonMembers)[name], (b as JsonMembers)[name], meter),
    )
  );
}

function areEqualLists(a: object, b: object, meter: StepMeter): boolean {
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
  return a.every((item, index) => areEqual(item, b[index], meter));
}

function isStructure(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
