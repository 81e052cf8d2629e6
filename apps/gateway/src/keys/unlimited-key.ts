import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { ProblemError } from '#api';
import { accessOf } from '#http';

/** Keeps a key that is limited to streams from making one that is not. */
export class UnlimitedKey implements CanActivate {
  /** @throws ProblemError 403 `stream_forbidden` */
  canActivate(context: ExecutionContext): true {
    if (accessOf(context.switchToHttp().getRequest()).patterns === undefined) return true;
    throw new ProblemError('stream_forbidden', 'An API key that is limited to streams cannot manage keys.');
  }
}
