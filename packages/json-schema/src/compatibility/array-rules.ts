import type { SchemaComparison, ComparisonRule } from './comparison.js';
import { maximumCountOf, minimumCountOf, valueKinds, permits } from './types.js';
import type { SchemaDifference } from './incompatibility-reason.js';
import { listedIn, ValueShape, shapeIn, type SchemaPart } from './value-shape.js';

/** Rule of schema comparison for `prefixItems` and `items`. */
export const items: ComparisonRule = (comparison, writer, part) => {
  if (!permits(writer, valueKinds.array) || !('items' in part.schema || 'prefixItems' in part.schema))
    return [];
  const longest = Math.max(
    listedIn(part, 'prefixItems'),
    ...writer.parts.map((one) => listedIn(one, 'prefixItems')),
  );
  const end = Math.min(longest + 1, maximumCountOf(writer, 'Items'));
  return Array.from({ length: end }, (_, index) => index).flatMap((index) => {
    const reader = itemOf(part, index);
    return reader ? item(comparison, writer, { part, index, reader }) : [];
  });
};

/** Returns the schema of the item at an index. An index beyond all prefixes stands for all further items. */
function itemOf(part: SchemaPart, index: number): ValueShape | undefined {
  if (index < listedIn(part, 'prefixItems')) return shapeIn(part, 'prefixItems', index);
  return 'items' in part.schema ? shapeIn(part, 'items') : undefined;
}

interface ComparedItem {
  part: SchemaPart;
  index: number;
  reader: ValueShape;
}

function item(
  comparison: SchemaComparison,
  writer: ValueShape,
  { part, index, reader }: ComparedItem,
): SchemaDifference[] {
  comparison.spend(1);
  const own = writer.parts.flatMap((one) => itemOf(one, index) ?? []);
  const shape = own.length > 0 ? own.reduce((all, other) => all.and(other)) : new ValueShape(writer.at, []);
  const found = comparison.below(shape, reader);
  if (found.length === 0) return [];
  const at = { writer, part: { ...part, pointer: reader.at } };
  if (reader.impossible)
    return comparison.differs(
      at,
      'item_removed_from_closed_content_model',
      `${comparison.reader} permits fewer items than ${comparison.writer}`,
    );
  if (own.length > 0) return found;
  const detail = `${comparison.reader} restricts items for which ${comparison.writer} permits any value`;
  return comparison.differs(at, 'item_added_to_open_content_model', detail);
}

/** Rule of schema comparison for `contains`, `minContains` and `maxContains`. */
export const contains: ComparisonRule = (comparison, writer, part) => {
  if (!('contains' in part.schema) || !permits(writer, valueKinds.array)) return [];
  const reader = shapeIn(part, 'contains');
  const { min, max } = containsOf(part);
  const own = writer.parts.filter(({ schema }) => 'contains' in schema);
  const isEnough = own.some(
    (one) => containsOf(one).min >= min && comparison.below(shapeIn(one, 'contains'), reader).length === 0,
  );
  const isFew = own.some(
    (one) => containsOf(one).max <= max && comparison.below(reader, shapeIn(one, 'contains')).length === 0,
  );
  const many = maximumCountOf(writer, 'Items') <= max;
  const at = { writer, part, keyword: 'contains' };
  return [
    ...(min === 0 || isEnough || allAre(comparison, writer, { reader, min })
      ? []
      : comparison.differs(
          at,
          'contains_changed',
          `${comparison.reader} requires items that ${comparison.writer} does not require`,
        )),
    ...(isFew || many
      ? []
      : comparison.differs(
          at,
          'contains_changed',
          `${comparison.reader} permits fewer items that fit "contains" than ${comparison.writer}`,
        )),
  ];
};

/** Whether every array of the writer has at least `min` items, all of the shape that `contains` requires. */
function allAre(
  comparison: SchemaComparison,
  writer: ValueShape,
  { reader, min }: { reader: ValueShape; min: number },
): boolean {
  if (minimumCountOf(writer, 'Items') < min) return false;
  return writer.parts.some(
    (one) =>
      'items' in one.schema &&
      listedIn(one, 'prefixItems') === 0 &&
      comparison.below(shapeIn(one, 'items'), reader).length === 0,
  );
}

function containsOf({ schema }: SchemaPart): { min: number; max: number } {
  const { minContains, maxContains } = schema;
  return {
    min: typeof minContains === 'number' ? minContains : 1,
    max: typeof maxContains === 'number' ? maxContains : Infinity,
  };
}

/** Rule of schema comparison for `uniqueItems`. */
export const uniqueItems: ComparisonRule = (comparison, writer, part) => {
  if (
    part.schema.uniqueItems !== true ||
    !permits(writer, valueKinds.array) ||
    maximumCountOf(writer, 'Items') <= 1
  )
    return [];
  if (writer.parts.some(({ schema }) => schema.uniqueItems === true)) return [];
  const detail = `${comparison.reader} requires unique items, ${comparison.writer} does not`;
  return comparison.differs({ writer, part, keyword: 'uniqueItems' }, 'unique_items_added', detail);
};
