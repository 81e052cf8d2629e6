import { ApiResponse } from '@nestjs/swagger';

/** Documents the answer of a route. The schema of the class is derived from its class-validator decorators. */
export function ApiAnswer(
  type: new () => object,
  options: { status?: number; description: string; text?: string[] },
): MethodDecorator {
  const content: Record<string, object> = {
    'application/json': { schema: { $ref: `#/components/schemas/${type.name}` } },
  };
  for (const mediaType of options.text ?? []) content[mediaType] = { schema: { type: 'string' } };
  return ApiResponse({ status: options.status ?? 200, description: options.description, content });
}

/** Documents a successful answer without a body. */
export function NoContent(description: string): MethodDecorator {
  return ApiResponse({ status: 204, description });
}
