/** What can be wrong between two versions. Names that Confluent's schema registry has too mean the same here. */
export type Rule =
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

/** How members that no schema spoke of are seen: as values of any kind (strict), or as not there (lenient). */
export const compatibilityPolicies = ['strict', 'lenient'] as const;
export type CompatibilityPolicy = (typeof compatibilityPolicies)[number];

/** What the lenient policy lets pass, as Confluent's does. */
export const toleratedWhenLenient: ReadonlySet<Rule> = new Set<Rule>([
  'optional_property_added_to_open_content_model',
  'required_property_with_default_added_to_open_content_model',
  'property_removed_from_closed_content_model',
  'property_removed_not_covered_by_partially_open_content_model',
  'additional_properties_removed',
  'additional_properties_narrowed',
  'unevaluated_properties_removed',
  'unevaluated_properties_narrowed',
]);

/** A reason why not every value that one schema permits is permitted by the other. */
export interface Difference {
  rule: Rule;
  /** Where the schema that data was written by has it. */
  writer: string;
  /** Where the schema that is to permit the data has it. */
  reader: string;
  detail: string;
}
