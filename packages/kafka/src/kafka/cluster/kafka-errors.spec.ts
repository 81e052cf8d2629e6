import { describe, expect, it } from 'vitest';
import { LogUnavailableError, UnknownTopicError } from '../../errors.js';
import { isFatal, isProtocolError, protocolErrors, toLogError } from './kafka-errors.js';

const protocol = (type: string, cause?: unknown): Error =>
  Object.assign(new Error('any', { cause }), { type });

describe("kafkajs' errors", () => {
  it('are identified by their type, including causes and aggregates', () => {
    const wrapped = new Error('retries', { cause: protocol('NOT_LEADER_FOR_PARTITION') });
    const aggregate = Object.assign(new Error(), { errors: [protocol('TOPIC_ALREADY_EXISTS')] });
    expect(protocolErrors(wrapped)).toEqual(['NOT_LEADER_FOR_PARTITION']);
    expect(isProtocolError(aggregate, 'TOPIC_ALREADY_EXISTS')).toBe(true);
    expect(isProtocolError(undefined, 'TOPIC_ALREADY_EXISTS')).toBe(false);
  });

  it('are searched to a limited depth if an error is its own cause', () => {
    const loop = protocol('A');
    loop.cause = loop;
    expect(protocolErrors(loop).length).toBeLessThanOrEqual(8);
    expect(isFatal(loop)).toBe(false);
  });

  it('are fatal if a retry cannot help', () => {
    expect(isFatal(new Error('x', { cause: protocol('SASL_AUTHENTICATION_FAILED') }))).toBe(true);
    expect(isFatal(Object.assign(new Error(), { name: 'KafkaJSSASLAuthenticationError' }))).toBe(true);
    expect(isFatal(protocol('LEADER_NOT_AVAILABLE'))).toBe(false);
    expect(isFatal(new LogUnavailableError('down'))).toBe(false);
  });

  it('become errors of the port, which remain unchanged themselves', () => {
    const unknown = new UnknownTopicError('t');
    expect(toLogError(unknown, 'doing')).toBe(unknown);
    expect(toLogError(protocol('REQUEST_TIMED_OUT'), 'doing')).toBeInstanceOf(LogUnavailableError);
  });

  it('do not become a LogUnavailableError if a retry cannot help', () => {
    const refused = protocol('TOPIC_AUTHORIZATION_FAILED');
    expect(toLogError(refused, 'doing')).toBe(refused);
    const fault = new TypeError('ours');
    expect(toLogError(fault, 'doing')).toBe(fault);
  });
});
