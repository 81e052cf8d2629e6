import { runApp } from '#http';
import { GatewayConfig } from './config/gateway-config.js';
import { startGateway } from './start.js';

await runApp({ name: 'gateway', config: GatewayConfig, start: startGateway });
