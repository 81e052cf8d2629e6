import { CommandHandler, type Event } from '@event-driven-io/emmett';
import { Tributary } from '@tributary/client';
import { TributaryEventStore } from './index.js';

type Added = Event<'Added', { product: string; price: number }>;
type Ordered = Event<'Ordered', { total: number }>;
type CartEvent = Added | Ordered;
type Cart = { total: number; ordered: boolean };

const client = new Tributary({ url: process.env.TRIBUTARY_URL ?? 'http://127.0.0.1:3900' });
const store = new TributaryEventStore(client, { stream: 'carts' });

const handle = CommandHandler<Cart, CartEvent>({
  initialState: () => ({ total: 0, ordered: false }),
  evolve: (cart, { type, data }) =>
    type === 'Added' ? { ...cart, total: cart.total + data.price } : { ...cart, ordered: true },
  retry: { onVersionConflict: true },
});

const cart = `cart-${Date.now()}`;
const add = (product: string, price: number) =>
  handle(store, cart, ({ ordered }) => (ordered ? [] : { type: 'Added', data: { product, price } }));

// Each handler decides on a state that no other has changed meanwhile.
await Promise.all([add('tea', 4), add('mug', 11), add('cup', 9)]);
const { newState, nextExpectedStreamVersion } = await handle(store, cart, ({ total }) => ({
  ...{ type: 'Ordered', data: { total } },
}));
console.log(newState, nextExpectedStreamVersion);
