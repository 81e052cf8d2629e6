import { getMetadataStorage, ValidationTypes } from 'class-validator';
import { isJsonObject } from '#json';
import { nestedTypeOf, type NestedType } from './record-members.js';
import { UnreadableDefinitionError } from './resource-kind.js';

type RecordClass<T extends object = object> = new () => T;

/** A rule of class-validator for one member. `fits` receives the value of the member, and the object that has it. */
interface MemberRule {
  name: string;
  fits(value: unknown, object: object): boolean;
}

/** A decorated member of a class: its rules, and the class of the objects that it contains. */
interface RecordMember {
  name: string;
  isOptional: boolean;
  rules: readonly MemberRule[];
  nested: NestedType | undefined;
}

const members = new WeakMap<RecordClass, readonly RecordMember[]>();

/**
 * Reads the JSON of a record as the members of a class that have decorators of class-validator. Returns a plain object
 * with these members only. An absent member must have `@IsOptional`, which does not make null valid.
 *
 * This is not `plainToInstance` with `validateSync`, because class-transformer loses members such as `constructor` of
 * free JSON, and both together are too slow for a topic with 100 000 definitions.
 * @throws UnreadableDefinitionError with the path of the member and the name of the rule
 */
export function readDefinition<T extends object>(type: RecordClass<T>, value: unknown, path = ''): T {
  if (!isJsonObject(value)) throw unreadable(path, 'isObject');
  const result: Record<string, unknown> = {};
  for (const { name, isOptional, rules, nested } of membersOf(type)) {
    const found = value[name];
    if (found === undefined && isOptional) continue;
    for (const rule of rules) if (!rule.fits(found, value)) throw unreadable(`${path}/${name}`, rule.name);
    result[name] = nested ? readNested(nested, found, `${path}/${name}`) : found;
  }
  return result as T;
}

function readNested({ type, form }: NestedType, value: unknown, path: string): unknown {
  const read = (item: unknown, name: number | string) => readDefinition(type(), item, `${path}/${name}`);
  if (form === 'list') return (value as unknown[]).map(read);
  if (form === 'object') return isJsonObject(value) ? readDefinition(type(), value, path) : value;
  return Object.fromEntries(Object.entries(value as object).map(([name, item]) => [name, read(item, name)]));
}

function membersOf(type: RecordClass): readonly RecordMember[] {
  const known = members.get(type) ?? compiledMembers(type);
  members.set(type, known);
  return known;
}

function compiledMembers(type: RecordClass): RecordMember[] {
  const storage = getMetadataStorage();
  const metadata = storage.getTargetValidationMetadatas(type, '', false, false);
  const isOwn = ({ target }: Metadata) => target === type;
  // Members of the parent class come first, as in the source text.
  const all = storage.groupByPropertyName([
    ...metadata.filter((rule) => !isOwn(rule)),
    ...metadata.filter(isOwn),
  ]);
  return Object.entries(all).map(([name, ofMember]) => ({
    name,
    isOptional: ofMember.some(({ type: rule }) => rule === ValidationTypes.CONDITIONAL_VALIDATION),
    rules: ofMember
      .filter(({ type: rule }) => rule === ValidationTypes.CUSTOM_VALIDATION)
      .map((metadata) => ruleOf(type, metadata)),
    nested: nestedTypeOf(type, name),
  }));
}

type Metadata = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

function ruleOf(
  { name: targetName }: RecordClass,
  { name, constraintCls, constraints, each, propertyName: property }: Metadata,
): MemberRule {
  const [{ instance } = missingRule(property)] =
    getMetadataStorage().getTargetValidatorConstraints(constraintCls);
  const fits = (value: unknown, object: object) =>
    instance.validate(value, { value, object, targetName, constraints, property }) === true;
  const fitsEach = (value: unknown, object: object) =>
    Array.isArray(value) ? value.every((item) => fits(item, object)) : fits(value, object);
  return { name: name ?? 'custom', fits: each ? fitsEach : fits };
}

function missingRule(property: string): never {
  throw new RangeError(`a rule of the member ${property} has no validator`);
}

function unreadable(path: string, rule: string): UnreadableDefinitionError {
  return new UnreadableDefinitionError(`${path || 'the record'} breaks the rule ${rule}`);
}
