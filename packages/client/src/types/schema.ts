/** A JSON Schema, draft 2020-12. */
export type JsonSchema = boolean | { [keyword: string]: unknown };

export type Compatibility =
  'none' | 'backward' | 'backward_transitive' | 'forward' | 'forward_transitive' | 'full' | 'full_transitive';

/** What happens to an invalid event: it is refused, stored and counted, or stored unchecked. */
export type SchemaMode = 'enforce' | 'warn' | 'off';

/** The stream and the event type that a schema belongs to. */
export interface SchemaAddress {
  stream: string;
  event_type: string;
}

export interface SchemaInput extends SchemaAddress {
  schema: JsonSchema;
  mode?: SchemaMode | null;
  compatibility?: Compatibility | null;
}

export interface Schema extends SchemaAddress {
  version: number;
  compatibility: Compatibility;
  mode: SchemaMode;
  schema: JsonSchema;
  created_at: string;
}

export interface SchemaCheckInput {
  schema: JsonSchema;
  compatibility?: Compatibility | null;
}

/** Data to check. It is an object, or JSON text that is sent unchanged, with numbers of any length. */
export type DataValidationInput = { version?: number } & ({ data: object } | { dataText: string });

/** Whether data matches a version of a schema. */
export interface DataValidation {
  valid: boolean;
  /** The version that was checked. */
  version: number;
  /** The code with which a write of this data is rejected; null if the data matches. */
  code: 'schema_violation' | 'schema_too_expensive' | null;
  errors: Violation[];
}

export interface Violation {
  /** A JSON pointer into the event, such as `/data/amount`. */
  pointer: string;
  detail: string;
}

/** Whether a schema would be accepted as the next version. */
export interface SchemaCheck {
  compatible: boolean;
  version: number;
  compatibility: Compatibility;
  errors: Incompatibility[];
}

export interface Incompatibility {
  pointer: string;
  detail: string;
}
