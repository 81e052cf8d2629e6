import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { whenClosed } from './when-closed.js';

describe('callbacks for the end of an answer', () => {
  it('are called once, in their order, by a single listener', () => {
    const response = new EventEmitter();
    const called: number[] = [];
    for (let i = 0; i < 20; i++) whenClosed(response as ServerResponse, () => called.push(i));
    expect(response.listenerCount('close')).toBe(1);
    response.emit('close');
    response.emit('close');
    expect(called).toEqual(Array.from({ length: 20 }, (_, i) => i));
  });

  it('are called immediately if the answer is already closed', () => {
    const response = Object.assign(new EventEmitter(), { closed: true });
    const called: string[] = [];
    whenClosed(response as unknown as ServerResponse, () => called.push('late'));
    expect(called).toEqual(['late']);
  });
});
