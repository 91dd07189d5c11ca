import { sql } from 'kysely';
import type { Actor } from '../actor.ts';

/** Whether the actor has starred `features`. */
export const isFavorite = (actor: Actor) => sql<boolean>`exists (
  select from favorite_features where user_id = ${actor.userId} and feature_name = features.name
)`;
