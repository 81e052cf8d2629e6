import { UseGuards, type ExecutionContext } from '@nestjs/common';
import { ProblemError } from '#api';
import { accessOf } from '#http';

/**
 * Decorator of routes for what belongs to no stream: a key that is limited to streams gets 403 `stream_forbidden`.
 * @param action such as `manage keys`: a limited key could issue keys without that limit
 */
export function RequireAllStreams(action: string): ClassDecorator & MethodDecorator {
  const canActivate = (context: ExecutionContext): true => {
    if (accessOf(context.switchToHttp().getRequest()).patterns === undefined) return true;
    throw new ProblemError('stream_forbidden', `An API key that is limited to streams cannot ${action}.`);
  };
  return UseGuards({ canActivate });
}
