import 'reflect-metadata';

type Class = new () => object;

/**
 * For parameter decorators: returns the class of the decorated parameter, and a function that applies a method
 * decorator to its handler.
 */
export function handlerOf(
  target: object,
  key: string | symbol | undefined,
  index: number,
): { type: Class; document: (decorator: MethodDecorator) => void } {
  if (key === undefined) throw new Error('Only a parameter of a handler can be decorated');
  const types = Reflect.getMetadata('design:paramtypes', target, key) as Class[];
  const descriptor = Object.getOwnPropertyDescriptor(target, key) as PropertyDescriptor;
  return { type: types[index] as Class, document: (decorator) => void decorator(target, key, descriptor) };
}
