import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { FastifyRequest } from 'fastify';
import type { ProblemError } from '#api';
import { mediaTypeOf, type EncodedProblem } from '#http';
import { type AppendedEvent, type ParsedEvents, EventRejection } from '#writing';
import { jsonType, protobufType } from './logs-reader.js';

/** Maximum number of rejected log records whose reasons the answer names. */
const mostReasons = 5;

/** The number of rejected log records of an OTLP request, with a message that gives the first reasons. */
export interface PartialSuccess {
  rejected: number;
  message: string;
}

/**
 * Summarizes the rejected log records of an OTLP request; undefined if none was rejected.
 * @throws ProblemError when the stream does not accept writes
 */
export function partialSuccess(
  events: ParsedEvents,
  results: readonly (AppendedEvent | EventRejection)[],
): PartialSuccess | undefined {
  const reasons: string[] = [];
  let rejected = 0;
  results.forEach((result, index) => {
    if (!(result instanceof EventRejection)) return;
    const event = events[index]!;
    const couldBeKept = !(event instanceof EventRejection) || event.sent !== undefined;
    if (couldBeKept && !result.kept) throw result.toProblem();
    rejected++;
    if (reasons.length < mostReasons) reasons.push(`log record ${index + 1}: ${result.reason}`);
  });
  const kept = results.some((result) => result instanceof EventRejection && result.kept);
  if (rejected === 0) return undefined;
  const more = rejected > reasons.length ? [`and ${rejected - reasons.length} more`] : [];
  const message =
    [...reasons, ...more].join('; ') + (kept ? '. The rejected records are kept as dead letters.' : '');
  return { rejected, message };
}

/** Encodes an ExportLogsServiceResponse in the encoding of the request. */
export function encodeAnswer(request: FastifyRequest, partial: PartialSuccess | undefined): EncodedProblem {
  if (mediaTypeOf(request) === jsonType) return inJson(jsonAnswer(partial));
  return { type: protobufType, body: protobufAnswer(partial) };
}

/** Encodes a problem as a `google.rpc.Status`, in the encoding of the request. */
export function encodeStatus(request: FastifyRequest, problem: ProblemError): EncodedProblem {
  const reasons = (problem.options.errors ?? []).map(({ pointer, detail }) => `${pointer} ${detail}`.trim());
  const message = [problem.message, ...reasons].join(' ');
  if (mediaTypeOf(request) !== protobufType) return inJson({ message });
  const status = new BinaryWriter().tag(2, WireType.LengthDelimited).string(message).finish();
  return { type: protobufType, body: Buffer.from(status) };
}

/** Encodes a JSON answer as bytes, because Fastify would add a charset to the content type of a string. */
function inJson(value: object): EncodedProblem {
  return { type: jsonType, body: Buffer.from(JSON.stringify(value)) };
}

function jsonAnswer(partial: PartialSuccess | undefined): object {
  if (!partial) return {};
  const { rejected, message } = partial;
  return { partialSuccess: { rejectedLogRecords: String(rejected), errorMessage: message } };
}

/** `ExportLogsServiceResponse { partial_success = 1 { int64 rejected_log_records = 1; string error_message = 2; } }` */
function protobufAnswer(partial: PartialSuccess | undefined): Buffer {
  const writer = new BinaryWriter();
  if (partial) {
    writer.tag(1, WireType.LengthDelimited).fork();
    writer.tag(1, WireType.Varint).int64(partial.rejected);
    writer.tag(2, WireType.LengthDelimited).string(partial.message).join();
  }
  return Buffer.from(writer.finish());
}
