import { requestFields, resourceLogsFields, scopeLogsFields } from './message-fields.js';
import type { EncodedRange, MessageReader } from './message-reader.js';
import { mostRequestFields, OtlpElementLimiter, UnreadableMessageError } from './otlp-request-errors.js';

/** The log records with one scope. The scope may occur more than once: protobuf merges the occurrences. */
interface ScopeLogs {
  scope: EncodedRange[];
  logRecords: EncodedRange[];
}

/** The log records with one resource, which may occur more than once, too. */
export interface ResourceLogs {
  resource: EncodedRange[];
  scopeLogs: ScopeLogs[];
}

/**
 * Finds the log records of a request with their resources and scopes, without reading them. A request
 * with too many elements is refused before anything is built for it.
 * @throws ProblemError when the body cannot be read, or has too many elements
 */
export function logGroups(reader: MessageReader): ResourceLogs[] {
  const [groups, records] = [new OtlpElementLimiter(), new OtlpElementLimiter()];
  const found: ResourceLogs[] = [];
  const readScopeLogs = () => {
    groups.add();
    const scopeLogs: ScopeLogs = { scope: [], logRecords: [] };
    reader.message(scopeLogsFields, (field) => {
      if (field === 'scope') scopeLogs.scope.push(reader.skipAnyDepth());
      else
        reader.elements(() => {
          records.add();
          scopeLogs.logRecords.push(reader.skipUnread());
        });
    });
    return scopeLogs;
  };
  const readResourceLogs = () => {
    groups.add();
    const resourceLogs: ResourceLogs = { resource: [], scopeLogs: [] };
    reader.message(resourceLogsFields, (field) => {
      if (field === 'resource') resourceLogs.resource.push(reader.skipAnyDepth());
      else reader.elements(() => resourceLogs.scopeLogs.push(readScopeLogs()));
    });
    return resourceLogs;
  };
  reader.limitFields(mostRequestFields);
  try {
    reader.message(requestFields, () => reader.elements(() => found.push(readResourceLogs())));
  } catch (error) {
    throw error instanceof UnreadableMessageError ? error.toProblem() : error;
  }
  return found;
}
