import { secretNamePattern, secretNameRule } from '#event';
import { pipelineLimits } from '../pipelines/limits.js';
import { Members, refusal } from '../pipelines/members.js';
import type { Operator } from './operator.js';

/** A webhook of a definition. */
export interface Webhook {
  readonly at: string;
  readonly url: string;
  readonly secretRef: string;
}

/**
 * `webhook`: posts the event to an address, signed with a secret of the installation. The event goes on to the operators
 * after it. Whether the address may be reached is not known here.
 * @throws DefinitionError
 */
export function compileWebhook(spec: unknown, at: string): { operator: Operator; webhook: Webhook } {
  const members = new Members(spec, at, ['url', 'secret_ref']);
  const url = addressOf(members.text('url', pipelineLimits.urlCharacters), members.at('url'));
  const secretRef = members.text('secret_ref', pipelineLimits.nameCharacters);
  if (!secretNamePattern.test(secretRef)) throw refusal(members.at('secret_ref'), secretNameRule);

  const operator: Operator = (next) => (flow, run) => {
    run.outcomes.push({ kind: 'webhook', at, url, secretRef, flow });
    next(flow, run);
  };
  return { operator, webhook: { at, url, secretRef } };
}

function addressOf(text: string, pointer: string): string {
  if (!URL.canParse(text)) throw refusal(pointer, 'must be an address such as https://example.com/hook');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw refusal(pointer, 'must begin with https://');
  if (url.username !== '' || url.password !== '')
    throw refusal(pointer, 'must not hold a name or a password: deliveries are signed');
  return url.href;
}
