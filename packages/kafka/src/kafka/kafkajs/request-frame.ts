import { GrowingBuffer } from '../encoding/growing-buffer.js';

interface Frame {
  correlationId: number;
  clientId: string | null;
  request: { apiKey: number; apiVersion: number; encode(): Promise<{ buffer: Buffer }> };
}

/**
 * Encodes the bytes of one request, and copies its payload once (kafkajs/src/protocol/request.js copies it three
 * times):
 *
 *     Request Header (Version: 1) => size api_key api_version correlation_id client_id payload
 *       size => INT32, api_key => INT16, api_version => INT16, correlation_id => INT32, client_id => NULLABLE_STRING
 */
export async function encodeFrame(frame: Frame): Promise<{ buffer: Buffer }> {
  const { correlationId, clientId, request } = frame;
  const payload = (await request.encode()).buffer;
  const out = new GrowingBuffer(payload.length + 1024);
  out.int32(0);
  out.int16(request.apiKey);
  out.int16(request.apiVersion);
  out.int32(correlationId);
  out.string(clientId);
  out.ensure(payload.length);
  out.offset += payload.copy(out.bytes, out.offset);
  out.bytes.writeInt32BE(out.offset - 4, 0);
  return { buffer: out.filled() };
}
