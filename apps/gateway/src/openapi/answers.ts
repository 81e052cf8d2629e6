import { ApiResponse } from '@nestjs/swagger';

/** Documents the answer of a route as a class, whose schema is made from its class-validator decorators. */
export function Answers(
  type: new () => object,
  options: { status?: number; description: string; text?: string[] },
): MethodDecorator {
  const content: Record<string, object> = {
    'application/json': { schema: { $ref: `#/components/schemas/${type.name}` } },
  };
  for (const mediaType of options.text ?? []) content[mediaType] = { schema: { type: 'string' } };
  return ApiResponse({ status: options.status ?? 200, description: options.description, content });
}

/** Documents the answer of a route that has nothing more to say than that it is done. */
export function NoContent(description: string): MethodDecorator {
  return ApiResponse({ status: 204, description });
}
