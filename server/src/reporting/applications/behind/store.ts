import { type RawBuilder, sql } from 'kysely';

/** How long an instance may take to present a change, which happens one poll after the poll that fetched it. */
const LATE_SECONDS = 600;
const LATE_INTERVALS = 3;
/**
 * A caller can invent instances with any revisions. Instances of one token that present the same revision lack the same changes,
 * so the query groups them by revision and examines only the oldest revisions: this many per token, and this many in total.
 */
const MAX_REVISIONS_PER_TOKEN = 20;
const MAX_REVISIONS = 1_000;
/** How many changes are read to find the first one that affects an instance. */
const MAX_READ_REVISIONS = 100;

/**
 * The instances whose last poll still presented an older revision although the change was more than ten minutes and more than
 * three poll intervals old by then, with `published_at` of the first change that they lack. Only what the instance
 * itself presents counts, so an instance is not found if it was not seen after the change, if it streams, or if it presents no
 * revision of this history. docs/decisions/0027-reach.md
 */
export const selectInstancesBehind = (condition: RawBuilder<unknown> = sql`true`) => sql`
  with settled as materialized (
    select environment, (
      select revision from sdk_publications as published
      where published.environment = sdk_revisions.environment
        and published_at < now() - make_interval(secs => ${sql.lit(LATE_SECONDS)})
      order by revision desc limit 1
    ) as revision from sdk_revisions
  ), late as materialized (
    select late.* from reach_instances as late join settled
      on settled.environment = late.environment and settled.revision > late.revision
    where ${condition} and not late.is_streaming and late.revision > 0 and late.epoch = (select id from database_epoch)
      and late.seen_at > now() - make_interval(secs => greatest(300, 10 * late.interval_seconds))
  ), presented as (
    select *, row_number() over (partition by token_id order by revision) as nth
    from (select distinct token_id, environment, projects, revision from late) as late
  ), missed as materialized (
    select presented.*, missed.published_at from (
      select * from presented where nth <= ${sql.lit(MAX_REVISIONS_PER_TOKEN)}
      order by nth limit ${sql.lit(MAX_REVISIONS)}
    ) as presented cross join lateral (
      select published_at from (
        select projects, published_at, revision from sdk_publications
        where environment = presented.environment and revision > presented.revision
        order by revision limit ${sql.lit(MAX_READ_REVISIONS)}
      ) as published
      where published.projects is null or presented.projects is null or published.projects && presented.projects
      order by revision limit 1
    ) as missed
  )
  select late.application, late.environment, late.instance, late.revision, late.seen_at, missed.published_at
  -- A token has one environment. Comparing names would take longer than everything else.
  from late join missed on missed.token_id = late.token_id and missed.revision = late.revision
    and missed.projects is not distinct from late.projects
  where late.seen_at > missed.published_at
    + make_interval(secs => greatest(${sql.lit(LATE_SECONDS)}, ${sql.lit(LATE_INTERVALS)} * late.interval_seconds))`;
