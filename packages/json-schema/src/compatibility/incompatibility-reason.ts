/** Stable name of a reason for an incompatibility. Names of Confluent's schema registry mean the same here. */
export type IncompatibilityReason =
  | 'type_changed'
  | 'type_narrowed'
  | 'schema_forbids_everything'
  | 'enum_array_narrowed'
  | 'enum_array_changed'
  | 'minimum_increased'
  | 'maximum_decreased'
  | 'multiple_of_changed'
  | 'min_length_increased'
  | 'max_length_decreased'
  | 'pattern_changed'
  | 'format_changed'
  | 'required_attribute_added'
  | 'min_properties_increased'
  | 'max_properties_decreased'
  | 'property_names_changed'
  | 'dependency_array_changed'
  | 'dependency_schema_changed'
  | 'optional_property_added_to_open_content_model'
  | 'required_property_added_to_open_content_model'
  | 'required_property_with_default_added_to_open_content_model'
  | 'property_removed_from_closed_content_model'
  | 'property_removed_not_covered_by_partially_open_content_model'
  | 'pattern_properties_changed'
  | 'additional_properties_removed'
  | 'additional_properties_narrowed'
  | 'unevaluated_properties_removed'
  | 'unevaluated_properties_narrowed'
  | 'min_items_increased'
  | 'max_items_decreased'
  | 'unique_items_added'
  | 'item_added_to_open_content_model'
  | 'item_removed_from_closed_content_model'
  | 'items_narrowed'
  | 'contains_changed'
  | 'combined_type_changed'
  | 'one_of_overlaps'
  | 'not_type_extended'
  | 'condition_changed'
  | 'too_complex';

/** A property that a schema does not mention can have any value (strict), or is absent (lenient). */
export const compatibilityPolicies = ['strict', 'lenient'] as const;
/** How a comparison of schemas treats properties that a schema does not mention. */
export type ComparisonStrictness = (typeof compatibilityPolicies)[number];

/** The reasons for an incompatibility that the lenient policy ignores, as Confluent's lenient policy does. */
export const toleratedWhenLenient: ReadonlySet<IncompatibilityReason> = new Set<IncompatibilityReason>([
  'optional_property_added_to_open_content_model',
  'required_property_with_default_added_to_open_content_model',
  'property_removed_from_closed_content_model',
  'property_removed_not_covered_by_partially_open_content_model',
  'additional_properties_removed',
  'additional_properties_narrowed',
  'unevaluated_properties_removed',
  'unevaluated_properties_narrowed',
]);

/** A reason why the reader's schema does not permit some value that the writer's schema permits. */
export interface SchemaDifference {
  rule: IncompatibilityReason;
  /** JSON pointer into the writer's schema, with which the data was written. */
  writer: string;
  /** JSON pointer into the reader's schema, which should permit the data. */
  reader: string;
  detail: string;
}
