import type { FastifyRequest } from 'fastify';
import { ProblemError, type InputProblem } from '#api';
import { shortPointerTo, takeBytes, utf8TextOf } from '#http';
import { textOf } from '#writing';
import { modeOf, type CloudEventMode } from './cloud-event-mode.js';
import { structuredText } from './binary-event.js';
import { headerAttributes } from './header-attributes.js';

/** The content mode of a request, and its CloudEvents as text in the JSON event format. */
interface CloudEventsRequest {
  mode: CloudEventMode;
  /** Text in the JSON event format, in every mode. */
  text: string;
}

/** Reads the CloudEvents of a request. @throws ProblemError when the request is not valid */
export function cloudEventsOf(request: FastifyRequest): CloudEventsRequest {
  const mode = modeOf(request);
  const body = takeBytes(request);
  if (mode === 'binary') return { mode, text: binaryText(request, body) };
  if (body.length === 0) throw new ProblemError('invalid_json', 'The request has no body.');
  return { mode, text: textOf(utf8TextOf(body)) };
}

function binaryText({ raw }: FastifyRequest, body: Buffer): string {
  const attributes = headerAttributes(raw);
  if (Array.isArray(attributes)) throw wrongHeaders(attributes);
  return structuredText({ attributes, contentType: raw.headers['content-type'], body });
}

function wrongHeaders(errors: InputProblem[]): ProblemError {
  return new ProblemError('invalid_request', 'The headers of the CloudEvent are not valid.', { errors });
}

/**
 * Returns a function from the index of an event and the name of an attribute to the pointer with which an error names
 * it: a header in binary mode, a JSON pointer otherwise. An empty name means the whole event.
 */
export function pointerIn(mode: CloudEventMode): (index: number, name: string) => string {
  if (mode === 'binary') return (_, name) => (name === '' ? '' : headerOf(name));
  return (index, name) => {
    const event = mode === 'batched' ? `/${index}` : '';
    return name === '' ? event : shortPointerTo(event, name);
  };
}

function headerOf(name: string): string {
  if (name === 'datacontenttype') return 'content-type';
  return name.startsWith('data') && name !== 'dataschema' ? '' : `ce-${name}`;
}
