import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { ProblemError } from '#api';
import { accessOf } from '#http';

/** Guard that refuses keys which are limited to streams: they could otherwise issue keys without that limit. */
export class AllStreamsKeyGuard implements CanActivate {
  /** Refuses a key that is limited to streams. @throws ProblemError 403 `stream_forbidden` */
  canActivate(context: ExecutionContext): true {
    if (accessOf(context.switchToHttp().getRequest()).patterns === undefined) return true;
    throw new ProblemError('stream_forbidden', 'An API key that is limited to streams cannot manage keys.');
  }
}
