import { Injectable } from '@nestjs/common';
import { ProblemError, type InputProblem } from '#api';
import { checkCompatibility, type CompatibilityRequest } from '#json-schema';
import { SchemaSettings } from './schema-settings.js';

/** Limit of compatibility checks that run or wait in this process; the next one is refused. */
const most = 32;

/**
 * Compares versions of schemas, one comparison at a time. Concurrent comparisons would take more of the time that the
 * process needs for other work.
 */
@Injectable()
export class SchemaCompatibilityChecker {
  private last: Promise<unknown> = Promise.resolve();
  private asked = 0;

  constructor(private readonly settings: SchemaSettings) {}

  /**
   * Resolves with the reasons why a schema is incompatible with earlier versions. The JSON pointers of these reasons
   * start at the request body, so they begin with `/schema`.
   * @throws ProblemError `overloaded`
   */
  async incompatibilities(question: Omit<CompatibilityRequest, 'policy'>): Promise<InputProblem[]> {
    if (this.asked >= most) {
      const detail = 'Too many schemas are being compared at once.';
      throw new ProblemError('overloaded', detail, { retryAfterSeconds: 1 });
    }
    this.asked++;
    const policy = this.settings.SCHEMA_COMPATIBILITY_POLICY;
    const turn = this.last.then(() => checkCompatibility({ ...question, policy }));
    this.last = turn.catch(() => undefined);
    try {
      return (await turn).map(({ pointer, detail, version, rule }) => ({
        pointer: `/schema${pointer}`,
        detail: `version ${version}: ${detail} (${rule})`,
      }));
    } finally {
      this.asked--;
    }
  }
}
