import { describe, expect, it } from 'vitest';
import { ConfigError, describeConfig, loadConfig } from '#api';
import { generateKey } from '#http';
import { GatewayConfig } from './gateway-config.js';

const { keyId, sha256 } = generateKey();
const entry = `${keyId}:${sha256}:events:read+events:write`;

describe("the gateway's configuration", () => {
  it('reads API keys and does not print them', () => {
    const config = loadConfig(GatewayConfig, { API_KEYS: ` ${entry} ` });
    expect(config.API_KEYS).toEqual([entry]);
    expect(JSON.stringify(describeConfig(config))).not.toContain(sha256);
  });

  it('has the default ports when the environment sets none', () => {
    expect(loadConfig(GatewayConfig, {})).toMatchObject({
      GATEWAY_CORE_PORT: 3900,
      GATEWAY_QUERY_PORT: 3902,
    });
  });

  it.each([
    ['API_KEYS', `${entry},${keyId}`, /entry 2: the SHA-256/],
    ['GATEWAY_QUERY_PORT', '70000', /65535/],
    ['READS_CONCURRENT', '0', /1/],
    ['SQL_CLICKHOUSE_USER', 'default', /not be the same as CLICKHOUSE_USER/],
  ])('names an invalid %s without showing secrets', (name, value, message) => {
    const load = () => loadConfig(GatewayConfig, { [name]: value });
    expect(load).toThrow(ConfigError);
    expect(load).toThrow(message);
    expect(load).toThrow(name);
    expect(load).not.toThrow(sha256);
  });
});
