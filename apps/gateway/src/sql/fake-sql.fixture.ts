import { Readable } from 'node:stream';
import {
  SqlRejectedError,
  type AnalystViews,
  type CheckedStatement,
  type SqlResponse,
  type AnalystSql,
  type SqlRequest,
} from '#store';

/** In-memory fake of `SqlQueries`: refuses statements that contain `refused`, and records the others. */
export class FakeAnalystSql implements AnalystSql {
  readonly database = 'tributary_sql';
  readonly ownUser = false;
  readonly mostSeconds = 30;
  readonly published: AnalystViews[] = [];
  readonly asked: SqlRequest[] = [];
  readonly ended: unknown[] = [];

  publish(views: AnalystViews): Promise<void> {
    this.published.push(views);
    return Promise.resolve();
  }

  check(question: SqlRequest): Promise<CheckedStatement> {
    if (question.text.includes('refused')) return Promise.reject(refusal());
    return Promise.resolve({ text: question.text, format: 'TabSeparated', outline: 'SELECT ?' });
  }

  /** Answers with the text of the statement. For `forever`, it answers one line and ends with the signal. */
  run(question: SqlRequest, { text }: CheckedStatement, signal: AbortSignal): Promise<SqlResponse> {
    this.asked.push(question);
    const body = new Readable({ read: () => undefined });
    body.push(`${text}\n`);
    if (!text.includes('forever')) body.push(null);
    signal.addEventListener('abort', () => {
      this.ended.push(signal.reason);
      body.destroy(signal.reason as Error);
    });
    return Promise.resolve({ headers: { 'content-type': 'text/tab-separated-values' }, body });
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
