import { Injectable } from '@nestjs/common';
import { ProblemError, type InputError } from '#api';
import { checkCompatibility, type CompatibilityQuestion } from '#schemas';
import { GatewayConfig } from '../config.js';

/** Checks that run or wait; one more is refused. */
const most = 32;

/**
 * The one place where a process compares versions of schemas: one comparison after the other, so that two do not take
 * the time of two between what else the process has to do.
 */
@Injectable()
export class SchemaChecks {
  private last: Promise<unknown> = Promise.resolve();
  private asked = 0;

  constructor(private readonly config: GatewayConfig) {}

  /**
   * Why a schema does not fit earlier versions; pointers go into the body that holds it as `schema`.
   * @throws ProblemError `overloaded`
   */
  async incompatibilities(question: Omit<CompatibilityQuestion, 'policy'>): Promise<InputError[]> {
    if (this.asked >= most) {
      const detail = 'Too many schemas are being compared at once.';
      throw new ProblemError('overloaded', detail, { retryAfterSeconds: 1 });
    }
    this.asked++;
    const policy = this.config.SCHEMA_COMPATIBILITY_POLICY;
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
