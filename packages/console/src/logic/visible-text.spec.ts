import { describe, expect, it } from 'vitest';
import { visibleText } from './visible-text.js';

describe('visible text', () => {
  it('escapes characters that reorder or hide text', () => {
    expect(visibleText('a\u202eb\u200bc\u0000')).toBe('a\\u{202e}b\\u{200b}c\\u{0}');
  });

  it('keeps letters of every script, line feeds and tabs', () => {
    expect(visibleText('שלום\n\tпривет 🎉')).toBe('שלום\n\tпривет 🎉');
  });
});
