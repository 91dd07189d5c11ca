import { type RawBuilder, sql } from 'kysely';

/** How long an instance may take. It presents a change one poll after the poll that fetched it. */
const LATE_SECONDS = 600;
const LATE_INTERVALS = 3;
/** How many instances are checked, and how many changes are read to find the first that concerns an instance. */
const MAX_CHECKED = 5_000;
const READ_REVISIONS = 100;

/**
 * The instances that keep polling and still present a revision from before a change of more than ten minutes ago, with
 * `published_at` of the first change that they lack. Only what the instance says itself counts: one that was never heard of after
 * the change, that streams, or that presents no revision of this history is not found. docs/decisions/0027-reach.md
 */
export const instancesBehind = (condition: RawBuilder<unknown> = sql`true`) => sql`
  select late.application, late.environment, late.instance, late.revision, late.seen_at, missed.published_at
  from (
    select late.* from reach_instances as late join (
      select environment, (
        select revision from sdk_publications as published
        where published.environment = sdk_revisions.environment
          and published_at < now() - make_interval(secs => ${sql.lit(LATE_SECONDS)})
        order by revision desc limit 1
      ) as revision from sdk_revisions
    ) as settled on settled.environment = late.environment and settled.revision > late.revision
    where ${condition} and not late.is_streaming and late.revision > 0 and late.epoch = (select id from database_epoch)
      and late.seen_at > now() - make_interval(secs => greatest(300, 10 * late.interval_seconds))
    limit ${sql.lit(MAX_CHECKED)}
  ) as late cross join lateral (
    select published_at from (
      select projects, published_at, revision from sdk_publications
      where environment = late.environment and revision > late.revision
      order by revision limit ${sql.lit(READ_REVISIONS)}
    ) as published
    where published.projects is null or late.projects is null or published.projects && late.projects
    order by revision limit 1
  ) as missed
  where late.seen_at > missed.published_at
    + make_interval(secs => greatest(${sql.lit(LATE_SECONDS)}, ${sql.lit(LATE_INTERVALS)} * late.interval_seconds))`;
