import { expect, it } from 'vitest';
import { checkVersion } from './patches.js';

it('the patches accept exactly one version of kafkajs', () => {
  expect(() => checkVersion('2.2.4')).not.toThrow();
  expect(() => checkVersion('2.3.0')).toThrow(/kafkajs 2\.3\.0 is installed.*exactly kafkajs 2\.2\.4/);
});
