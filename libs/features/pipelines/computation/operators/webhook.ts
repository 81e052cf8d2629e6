import { secretNamePattern, secretNameRule } from '#event';
import { DefinitionMemberReader, definitionError } from '#dataflow';
import { webhookFormats, type WebhookFormat } from '../flow/pipeline.js';
import { pipelineLimits } from '../flow/limits.js';
import type { OperatorImplementation } from './operator.js';

interface WebhookSpec {
  url: string;
  secret_ref: string;
  format?: WebhookFormat;
}

const urlCharacters = 2048;

/**
 * `webhook`: posts the event to an address, signed with a secret of the installation, and passes the event on. Whether
 * the address is allowed is checked elsewhere.
 */
export const webhook: OperatorImplementation<WebhookSpec> = {
  summary:
    '`{url, secret_ref, format?}`, posts the event to an address; with the format `cloudevents` as a CloudEvent.',
  isOutput: true,
  effects: ({ url, secret_ref: secretRef }, at) => [{ kind: 'call', at, url: new URL(url).href, secretRef }],
  compile(spec, { at }) {
    const members = new DefinitionMemberReader(spec, at, ['url', 'secret_ref', 'format']);
    const url = addressOf(members.text('url', urlCharacters), members.at('url'));
    const secretRef = members.text('secret_ref', pipelineLimits.nameCharacters);
    if (!secretNamePattern.test(secretRef)) throw definitionError(members.at('secret_ref'), secretNameRule);
    const format = members.has('format') ? members.oneOf('format', webhookFormats) : 'event';

    return (next) => (flow, context) => {
      context.outcomes.push({ kind: 'webhook', at, url, secretRef, format, flow });
      next(flow, context);
    };
  },
};

function addressOf(text: string, pointer: string): string {
  if (!URL.canParse(text))
    throw definitionError(pointer, 'must be an address such as https://example.com/hook');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw definitionError(pointer, 'must begin with https://');
  if (url.username !== '' || url.password !== '')
    throw definitionError(pointer, 'must not contain a user name or a password: deliveries are signed');
  return url.href;
}
