import { ProblemError, SqlError, UnreachableError } from '#client';
import { isTransient } from '../app/resource.js';
import { visibleText } from '../logic/visible-text.js';

/** Shows an error, if there is one: the detail and the code of a problem, its parts, and the id of the request. */
export function Problem({ error }: { error: unknown }) {
  if (error === undefined) return null;
  const { title, detail, code, requestId, parts } = shownOf(error);
  return (
    <div class="problem" role="alert">
      <p class="problem-title">
        <strong>{title}</strong>
        {code && <code class="chip">{code}</code>}
      </p>
      <p>{visibleText(detail)}</p>
      {parts.length > 0 && (
        <ul>
          {parts.map(({ pointer, detail }) => (
            <li key={pointer}>
              <code>{visibleText(pointer)}</code> {visibleText(detail)}
            </li>
          ))}
        </ul>
      )}
      {requestId && <p class="muted small">Request {requestId}</p>}
      {isTransient(error) && <p class="muted small">The console tries again by itself.</p>}
    </div>
  );
}

function shownOf(error: unknown) {
  if (error instanceof ProblemError) {
    const { title = 'Refused', detail, code, request_id, errors = [] } = error.problem;
    return {
      title,
      detail,
      code,
      requestId: request_id,
      parts: errors.filter((one) => one.detail !== detail),
    };
  }
  const detail = error instanceof Error ? error.message : String(error);
  if (error instanceof SqlError) {
    return { title: 'The statement failed', detail, code: `ClickHouse ${error.code}`, parts: [] };
  }
  const title = error instanceof UnreachableError ? 'The gateway cannot be reached' : 'Something failed';
  return { title, detail, parts: [] };
}
