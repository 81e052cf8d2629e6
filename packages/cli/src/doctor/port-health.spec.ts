import { describe, expect, it } from 'vitest';
import { versionFinding } from './examine.js';

describe('the versions', () => {
  it.each([
    ['ok', ['0.1.3'], 'server 0.1.3, this program 0.1.0'],
    ['ok', ['unknown', 'unknown'], 'The server was built without a version; this program is 0.1.0.'],
    ['warning', ['0.2.0'], 'server 0.2.0, this program 0.1.0'],
    ['wrong', ['0.1.0', '0.2.0'], 'server 0.1.0 and 0.2.0, this program 0.1.0'],
  ])('are %s: %j', (verdict, versions, detail) => {
    expect(versionFinding(versions, '0.1.0')).toMatchObject({ verdict, detail });
  });
});
