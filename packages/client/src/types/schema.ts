/** A JSON Schema, draft 2020-12. */
export type JsonSchema = boolean | { [keyword: string]: unknown };

/** Which changes of a schema a new version may make, as in a schema registry. */
export type Compatibility =
  'none' | 'backward' | 'backward_transitive' | 'forward' | 'forward_transitive' | 'full' | 'full_transitive';

/**
 * What happens to an event that does not match its schema. `enforce`: it is refused. `warn`: it is stored and counted
 * in a metric. `off`: events are not checked.
 */
export type SchemaMode = 'enforce' | 'warn' | 'off';

/** The stream and the event type that a schema belongs to. */
export interface SchemaAddress {
  stream: string;
  event_type: string;
}

/** A JSON Schema to register for the events of one type in one stream. */
export interface SchemaInput extends SchemaAddress {
  schema: JsonSchema;
  mode?: SchemaMode | null;
  compatibility?: Compatibility | null;
}

/** One version of a registered JSON Schema. */
export interface Schema extends SchemaAddress {
  version: number;
  compatibility: Compatibility;
  mode: SchemaMode;
  schema: JsonSchema;
  created_at: string;
}

/** A JSON Schema whose compatibility to check. */
export interface SchemaCheckInput {
  schema: JsonSchema;
  compatibility?: Compatibility | null;
}

/** Data to check. Data to check is an object, or JSON text that is sent unchanged, with numbers of any length. */
export type DataValidationInput = { version?: number } & ({ data: object } | { dataText: string });

/** Whether data matches a version of a schema. */
export interface DataValidationResult {
  valid: boolean;
  /** The version that was checked. */
  version: number;
  /** The code with which a write of this data is rejected; null if the data matches. */
  code: 'schema_violation' | 'schema_too_expensive' | null;
  errors: Violation[];
}

/** One violation of a schema by the data of an event. */
export interface Violation {
  /** A JSON pointer into the event, such as `/data/amount`. */
  pointer: string;
  detail: string;
}

/** Whether a schema would be accepted as the next version. */
export interface SchemaCheckResult {
  compatible: boolean;
  version: number;
  compatibility: Compatibility;
  errors: Incompatibility[];
}

/** One reason why a schema is incompatible with earlier versions. */
export interface Incompatibility {
  pointer: string;
  detail: string;
}
