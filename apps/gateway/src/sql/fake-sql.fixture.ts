import { Readable } from 'node:stream';
import {
  SqlRefusedError,
  type AnalystViews,
  type CheckedStatement,
  type SqlAnswer,
  type SqlQueries,
  type SqlQuestion,
} from '#store';

/** In-memory fake of `SqlQueries`: refuses statements that contain `refused`, and records the others. */
export class FakeSql implements SqlQueries {
  readonly database = 'tributary_sql';
  readonly ownUser = false;
  readonly mostSeconds = 30;
  readonly published: AnalystViews[] = [];
  readonly asked: SqlQuestion[] = [];
  readonly ended: unknown[] = [];

  publish(views: AnalystViews): Promise<void> {
    this.published.push(views);
    return Promise.resolve();
  }

  check(question: SqlQuestion): Promise<CheckedStatement> {
    if (question.text.includes('refused')) return Promise.reject(refusal());
    return Promise.resolve({ text: question.text, format: 'TabSeparated', outline: 'SELECT ?' });
  }

  /** Answers with the text of the statement. For `forever`, it answers one line and ends with the signal. */
  run(question: SqlQuestion, { text }: CheckedStatement, signal: AbortSignal): Promise<SqlAnswer> {
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

function refusal(): SqlRefusedError {
  const error = new SqlRefusedError('The function sleep is not allowed');
  error.outline = 'SELECT sleep(?)';
  return error;
}
