import { Readable } from 'node:stream';
import { StoreUnavailableError } from '#store';
import {
  SqlRejectedError,
  type AnalystViews,
  type CheckedStatement,
  type SqlRequest,
  type SqlResponse,
} from './clickhouse/analyst-sql.js';
import type { AnalystSqlRunner } from './clickhouse/analyst-sql-runner.js';

/** In-memory fake of `AnalystSqlRunner`: refuses statements that contain `refused`, and records the others. */
export class FakeAnalystSqlRunner implements Pick<AnalystSqlRunner, keyof AnalystSqlRunner> {
  readonly database = 'tributary_sql';
  readonly mostSeconds = 30;
  readonly published: AnalystViews[] = [];
  readonly asked: SqlRequest[] = [];
  readonly aborted: unknown[] = [];
  /** Ends the statements that contain `hangs`. */
  release = (): void => undefined;
  private readonly released = new Promise<void>((resolve) => (this.release = resolve));

  publish(views: AnalystViews): Promise<void> {
    this.published.push(views);
    return Promise.resolve();
  }

  check(question: SqlRequest): Promise<CheckedStatement> {
    if (question.text.includes('refused')) return Promise.reject(refusal());
    const warning = question.text.includes('doubtful') ? 'Doubtful' : undefined;
    return Promise.resolve({
      text: question.text,
      format: 'TabSeparated',
      outline: 'SELECT ?',
      warning,
      views: question.views.filter((view) => question.text.includes(view)),
    });
  }

  /** Answers with the text of the statement. For `forever`, it answers one line and ends with the signal.
   * For `hangs`, it fails, and ends with `release`. */
  run(question: SqlRequest, { text }: CheckedStatement, signal: AbortSignal): Promise<SqlResponse> {
    this.asked.push(question);
    if (text.includes('hangs')) return Promise.reject(new StoreUnavailableError('no answer within 35 s'));
    const body = new Readable({ read: () => undefined });
    body.push(`${text}\n`);
    if (!text.includes('forever')) body.push(null);
    signal.addEventListener('abort', () => {
      this.aborted.push(signal.reason);
      body.destroy(signal.reason as Error);
    });
    return Promise.resolve({ headers: { 'content-type': 'text/tab-separated-values' }, body });
  }

  ended(): Promise<void> {
    return this.released;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

function refusal(): SqlRejectedError {
  const error = new SqlRejectedError('The function sleep is not allowed');
  error.outline = 'SELECT sleep(?)';
  return error;
}
