import { Controller, Headers, Options, Res } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ProblemError } from '#api';
import { DescribeProblems, Public } from '#http';
import { StreamName } from '#writing';
import { CloudEventsSettings } from './cloudevents-settings.js';

/**
 * Controller of the handshake with which a sender asks whether it may deliver CloudEvents to an address. The handshake
 * only protects the address from deliveries that it does not expect: it needs no key, and every delivery does. The
 * answer is the same whether the stream exists or not.
 * https://github.com/cloudevents/spec/blob/main/cloudevents/http-webhook.md (section 4)
 */
@ApiTags('events')
@Controller('api/v1/streams')
export class WebhookHandshakeController {
  constructor(private readonly settings: CloudEventsSettings) {}

  @ApiOperation({
    summary: 'Ask whether CloudEvents may be delivered here',
    description:
      'The handshake of HTTP Web Hooks for Event Delivery, for the origins in the setting `CLOUDEVENTS_ALLOWED_ORIGINS`.',
    security: [],
  })
  @ApiHeader({ name: 'WebHook-Request-Origin', description: 'DNS name of the sender.', required: true })
  @ApiResponse({
    status: 200,
    description:
      'The sender may deliver: `WebHook-Allowed-Origin` is its origin, and `WebHook-Allowed-Rate` is `*`, no limit in advance.',
  })
  @DescribeProblems('method_not_allowed')
  @Public()
  @Options(':stream/cloudevents')
  handshake(
    @StreamName() _stream: string,
    @Headers('webhook-request-origin') origin: string | undefined,
    @Res() reply: FastifyReply,
  ): void {
    const origins = this.settings.CLOUDEVENTS_ALLOWED_ORIGINS.map((one) => one.toLowerCase());
    if (!origin || !origins.includes(origin.toLowerCase())) throw notAllowed();
    const granted = { 'webhook-allowed-origin': origin, 'webhook-allowed-rate': '*' };
    void reply
      .code(200)
      .headers({ allow: 'POST', ...granted })
      .send();
  }
}

/** The specification asks for the answer of an address without OPTIONS. */
function notAllowed(): ProblemError {
  const detail =
    'The header WebHook-Request-Origin names no origin of the setting CLOUDEVENTS_ALLOWED_ORIGINS. If the sender may ' +
    'deliver, add its origin there.';
  return new ProblemError('method_not_allowed', detail, { headers: { allow: 'POST' } });
}
