import { createHmac, timingSafeEqual } from 'node:crypto';
import type { HandOutRef } from '../state/subscription-command.js';

const macBytes = 16;

/** Signs and reads the tokens of a subscription's hand-outs. A token of another subscription, or of another run, is not read. */
export class HandOutTokens {
  private readonly key: Buffer;

  /** @param key the `token_key` of the subscription */
  constructor(
    key: string,
    private readonly run: string,
  ) {
    this.key = Buffer.from(key, 'base64url');
  }

  sign([source, partition, offset, claim]: HandOutRef): string {
    const content = Buffer.from(`${partition}.${offset}.${claim}.${source}`);
    return Buffer.concat([this.macOf(content), content]).toString('base64url');
  }

  /** Returns the hand-out of a token; undefined if this subscription has not signed it. */
  read(token: string): HandOutRef | undefined {
    const bytes = Buffer.from(token, 'base64url');
    const content = bytes.subarray(macBytes);
    if (content.length === 0 || !timingSafeEqual(bytes.subarray(0, macBytes), this.macOf(content)))
      return undefined;
    const [partition, offset, claim, ...source] = content.toString().split('.');
    return [source.join('.'), Number(partition), Number(offset), Number(claim)];
  }

  private macOf(content: Buffer): Buffer {
    return createHmac('sha256', this.key)
      .update(this.run)
      .update('\n')
      .update(content)
      .digest()
      .subarray(0, macBytes);
  }
}
