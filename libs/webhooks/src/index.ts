export { attemptOutcomes, Deliverer, type Attempt, type Delivery, type Receiver } from './delivery.js';
export { WebhookNetworks } from './networks.js';
export { Poster } from './post.js';
export { webhookKeys, wrongInSecrets } from './secrets.js';
export { wrongInWebhookUrl } from './webhook-url.js';
