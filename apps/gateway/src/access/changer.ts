import type { StreamAccess } from '#api';
import type { Actor } from '#registry';

/** Who changes a definition, and what they may see. */
export interface Changer {
  actor: Actor;
  access: StreamAccess;
}
