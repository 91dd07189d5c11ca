import { sql } from 'kysely';
import type { RaisedRollout, Writers } from '../../record/change-writers.ts';

/**
 * Finds the flags that the open change rolls out further than allowed in environments of type production. It compares the published
 * documents with those that the change is about to publish, so it does not matter which operation made the change. Default
 * strategies have no document, so they are found by their events. Flags in projects that the caller cannot read can use a
 * changed segment, so the row of a segment names no flag.
 */
export const findRaisedRollout: Writers['raisedRollout'] = async (tx, maxRollout, events) => {
  const defaultEvents = events.filter(({ type }) => type === 'default-strategy-updated');
  const { rows } = await sql<RaisedRollout>`
    with marked as materialized (
      select key, environment from sdk_marks
      where transaction = pg_current_xact_id_if_assigned() and kind = 'feature'
    ), edited as materialized (
      select key::integer as segment from sdk_marks
      where transaction = pg_current_xact_id_if_assigned() and kind = 'segment'
    ), compared as (
      select built.name as "featureName", built.project, built.environment,
        null as segment, raised.cause, raised.rollout
      from sdk_built_features as built cross join lateral raised_rollouts((
          select document from sdk_features as stored
          where stored.name = built.name and stored.environment = built.environment and document is not null limit 1
        ), built.document, ${maxRollout}) as raised
      where built.name = any(array(select key from marked))
        and exists (select from marked where key = built.name and environment in ('', built.environment))
      union all
      select null, null, built.environment, built.document::jsonb ->> 'name', 'segment', used.rollout
      from edited
        join sdk_built_segments as built on built.id = edited.segment
        join sdk_segments as stored on stored.id = built.id and stored.environment = built.environment
          and stored.document::jsonb -> 'constraints' <> built.document::jsonb -> 'constraints'
        cross join lateral (
          select max(listed.rollout) as rollout
          from sdk_features as feature cross join lateral rollouts_of(feature.document) as listed
          where feature.environment = built.environment and feature.segments @> array[built.id]
            and (feature.document::jsonb -> 'enabled')::boolean
            and listed.rollout > ${maxRollout} and listed.strategy -> 'segments' @> to_jsonb(built.id)
        ) as used
      where used.rollout is not null
      union all
      select null, project_id, environment_name, null, 'strategy', rollout_beyond(
        null, jsonb_build_object('enabled', false, 'strategies', jsonb_build_array(default_strategy))::text, ${maxRollout}
      )
      from project_environments
      where (project_id, environment_name) in (select * from unnest(
        ${defaultEvents.map(({ project }) => project ?? '')}::text[], ${defaultEvents.map(({ environment }) => environment ?? '')}::text[]
      )) and default_strategy is not null
    )
    select "featureName", project, environment, segment, cause, rollout::float8 from compared
    where rollout is not null and environment in (select name from environments where type = 'production')
    order by "featureName", environment, cause desc limit 1`.execute(tx);
  return rows[0];
};
