import { IsIn } from 'class-validator';
import { compatibilityPolicies, type ComparisonStrictness } from '#json-schema';

/** Settings of schemas. */
export class SchemaSettings {
  /**
   * How schema checks treat members that a schema does not mention: they may have any value (`strict`), or they do not
   * occur (`lenient`).
   */
  @IsIn(compatibilityPolicies) SCHEMA_COMPATIBILITY_POLICY: ComparisonStrictness = 'lenient';
}
