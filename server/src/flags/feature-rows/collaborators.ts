import { sql } from 'kysely';
import { SYSTEM_USER_ID } from '../../platform/actor.ts';
import { selectPerson } from '../../record/actor-names.ts';
import type { EventWriter } from '../../record/change-writers.ts';

/** Makes the actor of each written event a collaborator of its feature, except for favorites and events of the server itself. */
export const INSERT_COLLABORATORS: EventWriter = {
  expressions: sql`
  collaborators as (
    insert into feature_collaborators (feature_name, user_id)
    select feature_name, created_by_user_id
    from (
      select distinct feature_name, created_by_user_id from written
      where created_by_user_id <> ${sql.lit(SYSTEM_USER_ID)} and type not in ('feature-favorited', 'feature-unfavorited')
    ) as collaborator
    where (select true from features where features.name = collaborator.feature_name)
    on conflict do nothing
  )`,
};

/** The users who changed the feature in a `features` row. Adding a favorite does not count. */
export const COLLABORATORS = sql`jsonb_build_object('users', coalesce((
  select jsonb_agg(${selectPerson(sql`user_id`)} order by user_id)
  from feature_collaborators where feature_name = features.name
), '[]'))`;
