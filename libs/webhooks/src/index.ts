export { Deliverer, type Delivery, type DeliveryOptions } from './delivery.js';
export { WebhookNetworks } from './networks.js';
export { Poster } from './post.js';
export { secretRefPattern, webhookKeys, wrongInSecrets } from './secrets.js';
export { wrongInWebhookUrl } from './webhook-url.js';
