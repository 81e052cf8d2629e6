import { describe, expect, it } from 'vitest';
import { visibleText } from './visible-text.js';

/** Returns every code point for which the function is true. */
function codePoints(of: (character: string) => boolean): string[] {
  return Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code)).filter(of);
}

describe('visible text', () => {
  it.each([
    ['a control character', '\u001b', '1b'],
    ['a C1 control character', '\u009b', '9b'],
    ['a soft hyphen', '\u00ad', 'ad'],
    ['a combining grapheme joiner', '\u034f', '34f'],
    ['a Hangul filler', '\u3164', '3164'],
    ['a Hangul choseong filler', '\u115f', '115f'],
    ['a halfwidth Hangul filler', '\uffa0', 'ffa0'],
    ['a zero-width space', '\u200b', '200b'],
    ['a zero-width non-joiner', '\u200c', '200c'],
    ['a word joiner', '\u2060', '2060'],
    ['an override of the direction', '\u202e', '202e'],
    ['a byte-order mark', '\ufeff', 'feff'],
    ['a tag', '\u{e0041}', 'e0041'],
    ['a variation selector after a letter', '\ufe0f', 'fe0f'],
    ['a supplementary variation selector', '\u{e0100}', 'e0100'],
    ['an interlinear annotation', '\ufff9', 'fff9'],
    ['a musical format character', '\u{1d173}', '1d173'],
    ['a line separator', '\u2028', '2028'],
    ['a lone surrogate', '\ud800', 'd800'],
    ['a null notehead', '\u{1d159}', '1d159'],
    ['an object replacement character', '\ufffc', 'fffc'],
    ['a private character', '\ue000', 'e000'],
    ['a supplementary private character', '\u{10fffd}', '10fffd'],
    ['an unassigned character', '\u0378', '378'],
    ['a noncharacter', '\uffff', 'ffff'],
    ['a blank braille pattern', '\u2800', '2800'],
  ])('has an escape for %s', (_what, character, code) => {
    expect(visibleText(`a${character}b`)).toBe(`a\\u{${code}}b`);
  });

  it('has an escape for every control, format and ignorable character', () => {
    const hiding = codePoints((one) => /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(one));

    expect(hiding.length).toBeGreaterThan(4000);
    expect(hiding.filter((one) => visibleText(`a${one}b`).includes(one))).toEqual([]);
  });

  it('has escapes for marks that pile up on one letter', () => {
    expect(visibleText(`e${'\u0301'.repeat(10)}f`)).toBe(`e${'\u0301'.repeat(8)}\\u{301}\\u{301}f`);
  });

  it.each(['שָׁלוֹם привет 你好 ภาษาไทย हिन्दी', 'Zoë, Ångström, 5 €, 中文', '🎉 ❤️ 👩‍💻 👩🏽‍🚀 👩‍❤️‍👩 🇩🇪 1️⃣ ©️'])(
    'keeps letters of every script and emoji: %s',
    (text) => {
      expect(visibleText(text)).toBe(text);
    },
  );

  it('keeps a joiner only between emoji', () => {
    expect(visibleText('©\u200d© ™\u200d👩 👩\u200d©')).toBe('©\\u{200d}© ™\\u{200d}👩 👩\\u{200d}©');
    expect(visibleText('🏳️‍🌈 ❤️‍🔥 🧑‍⚖️ 👩‍❤️‍💋‍👨 🐻‍❄️')).toBe('🏳️‍🌈 ❤️‍🔥 🧑‍⚖️ 👩‍❤️‍💋‍👨 🐻‍❄️');
  });

  it('keeps no joiner that joins nothing, and no selector beside a digit', () => {
    expect(visibleText('a\u200db 👩\u200db 1\ufe0f')).toBe('a\\u{200d}b 👩\\u{200d}b 1\\u{fe0f}');
  });

  it('keeps characters that the caller allows, and uses the escapes of the caller', () => {
    expect(visibleText('a\nb\tc', { keep: '\n' })).toBe('a\nb\\u{9}c');
    expect(visibleText('a\u00adb', { escape: () => '?' })).toBe('a?b');
  });
});
