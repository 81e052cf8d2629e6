import type { StreamAccess } from '#contracts';
import type { Actor } from '#definitions';

/** Who changes a definition, and what they may see. */
export interface Changer {
  actor: Actor;
  access: StreamAccess;
}
