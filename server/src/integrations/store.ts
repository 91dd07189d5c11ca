import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Reader, Tx } from '../db/database.ts';
import type { Parameters } from './providers/provider.ts';
import type { Integration } from './schema.ts';
import { WAKE_CHANNEL } from './wake.ts';

export type IntegrationRow = Omit<Integration, 'parameters'> & {
  parameters: Parameters;
  sealedParameters: string | null;
  sealedSecret: string | null;
  sealedOldSecret: string | null;
  failedAttempts: number;
};

export const INTEGRATION = sql`
  integrations.id, integrations.provider, integrations.description, integrations.enabled, integrations.parameters,
  integrations.events, integrations.projects, integrations.environments,
  integrations.events_without_project as "eventsWithoutProject", integrations.ordered,
  integrations.created_at as "createdAt", integrations.failing_since as "failingSince",
  integrations.disabled_at as "disabledAt", integrations.disabled_because as "disabledBecause",
  integrations.old_secret_until as "oldSecretUntil", integrations.sealed_parameters as "sealedParameters",
  integrations.sealed_secret as "sealedSecret", integrations.sealed_old_secret as "sealedOldSecret",
  integrations.failed_attempts as "failedAttempts"`;

export const DELIVERY_QUEUE = 'deliver';

/**
 * Jobs for deliveries, written like pg-boss writes its own (deliveries/jobs.test.ts compares the two), because that way
 * they are part of the statement that writes the events. `source` gives id, integration_id, ordered, attempt, start_after.
 */
export const insertJobs = (source: RawBuilder<unknown>) => sql`
  insert into pgboss.job (name, data, group_id, group_tier, start_after, keep_until, retry_limit, retry_delay,
    retry_backoff, expire_seconds, deletion_seconds, policy, heartbeat_seconds)
  select queue.name, jsonb_build_object('delivery', source.id, 'attempt', source.attempt),
    source.integration_id::text, case when source.ordered then 'ordered' end, source.start_after,
    source.start_after + queue.retention_seconds * interval '1 s', queue.retry_limit, queue.retry_delay,
    queue.retry_backoff, queue.expire_seconds, queue.deletion_seconds, queue.policy, queue.heartbeat_seconds
  from (${source}) as source join pgboss.queue on queue.name = ${sql.lit(DELIVERY_QUEUE)}`;

/** Whether an integration wants an event. A test goes to the one integration it was made for. */
export const wants = (event: 'written' | 'events') => {
  const column = (name: string) => sql.ref(`${event}.${name}`);
  return sql<SqlBool>`(
    ('*' = any(integrations.events) or ${column('type')} = any(integrations.events))
    and ${column('type')} <> 'integration-tested'
    and (cardinality(integrations.projects) = 0 or ${column('project')} = any(integrations.projects)
      or ${column('project')} is null and integrations.events_without_project)
    and (cardinality(integrations.environments) = 0 or ${column('environment')} is null
      or ${column('environment')} = any(integrations.environments)))`;
};

/**
 * What the statement that writes events does besides: a delivery and its job for every integration that wants one of
 * them. Reads `written`, the events, of which `tested` names the integration that a test is for; without integrations it
 * is a join with an empty table.
 */
export const deliveriesOfWritten = sql`
  wanted as (
    insert into integration_deliveries (integration_id, event_id, is_test)
    select integrations.id, written.id, written.tested is not null
    from written join integrations
      on written.tested = integrations.id::text or integrations.enabled and ${wants('written')}
    order by written.id, integrations.id
    returning id, integration_id
  ),
  queued as (${insertJobs(sql`
    select wanted.id, wanted.integration_id, integrations.ordered, 1 as attempt, now() as start_after
    from wanted join integrations on integrations.id = wanted.integration_id`)}
    returning 1
  ),
  woken as (select pg_notify(${sql.lit(WAKE_CHANNEL)}, '') from queued limit 1)`;

export async function findIntegration(db: Reader, id: number): Promise<IntegrationRow | undefined> {
  const { rows } =
    await sql<IntegrationRow>`select ${INTEGRATION} from integrations where id = ${id}`.execute(db);
  return rows[0];
}

export async function lockIntegration(tx: Tx, id: number): Promise<IntegrationRow | undefined> {
  const { rows } =
    await sql<IntegrationRow>`select ${INTEGRATION} from integrations where id = ${id} for update`.execute(
      tx,
    );
  return rows[0];
}

export async function listIntegrationsOf(db: Reader, ids: number[]): Promise<IntegrationRow[]> {
  const { rows } =
    await sql<IntegrationRow>`select ${INTEGRATION} from integrations where id = any(${ids}::integer[])`.execute(
      db,
    );
  return rows;
}

export async function listIntegrations(db: Reader): Promise<IntegrationRow[]> {
  const { rows } = await sql<IntegrationRow>`select ${INTEGRATION} from integrations order by id`.execute(db);
  return rows;
}

/** Until the transaction ends nobody else counts, so nobody gets past a limit together. */
export async function lockIntegrationCount(tx: Tx): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtext('integrations count'))`.execute(tx);
  const { rows } = await sql<{ count: number }>`select count(*) from integrations`.execute(tx);
  return rows[0]?.count ?? 0;
}

/** The id is needed before the row is: what is sealed is bound to it. */
export async function nextIntegrationId(tx: Tx): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence('integrations', 'id')) as id`.execute(tx);
  return Number(rows[0]?.id);
}

export type IntegrationFields = Pick<
  IntegrationRow,
  | 'provider'
  | 'description'
  | 'enabled'
  | 'parameters'
  | 'sealedParameters'
  | 'events'
  | 'projects'
  | 'environments'
  | 'eventsWithoutProject'
  | 'ordered'
>;

export async function insertIntegration(
  tx: Tx,
  id: number,
  fields: IntegrationFields,
  sealedSecret: string | null,
): Promise<IntegrationRow> {
  const { rows } = await sql<IntegrationRow>`
    insert into integrations (id, provider, description, enabled, parameters, sealed_parameters, events, projects,
      environments, events_without_project, ordered, sealed_secret)
    overriding system value
    values (${id}, ${fields.provider}, ${fields.description}, ${fields.enabled}, ${JSON.stringify(fields.parameters)},
      ${fields.sealedParameters}, ${fields.events}, ${fields.projects}, ${fields.environments},
      ${fields.eventsWithoutProject}, ${fields.ordered}, ${sealedSecret})
    returning ${INTEGRATION}`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error('An integration was not inserted');
  return row;
}

/** Switched on, it starts without a past; switched off, it remembers when, so that what is missed can be made up for. */
export async function updateIntegration(
  tx: Tx,
  id: number,
  fields: IntegrationFields,
): Promise<IntegrationRow> {
  const { rows } = await sql<IntegrationRow>`
    update integrations set provider = ${fields.provider}, description = ${fields.description},
      parameters = ${JSON.stringify(fields.parameters)}, sealed_parameters = ${fields.sealedParameters},
      events = ${fields.events}, projects = ${fields.projects}, environments = ${fields.environments},
      events_without_project = ${fields.eventsWithoutProject}, ordered = ${fields.ordered},
      disabled_at = case when enabled and not ${fields.enabled} then now() else disabled_at end,
      disabled_because = case when enabled = ${fields.enabled} then disabled_because end,
      failing_since = case when enabled = ${fields.enabled} then failing_since end,
      failed_attempts = case when enabled = ${fields.enabled} then failed_attempts else 0 end,
      enabled = ${fields.enabled}
    where id = ${id}
    returning ${INTEGRATION}`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error(`Integration ${id} vanished while it was locked`);
  return row;
}

export async function disableIntegration(tx: Tx, id: number, because: string): Promise<void> {
  await sql`update integrations set enabled = false, disabled_at = now(), disabled_because = ${because}
    where id = ${id}`.execute(tx);
}

export async function updateSecrets(
  tx: Tx,
  id: number,
  sealed: { secret: string; oldSecret: string | null; overlapHours: number },
): Promise<string | null> {
  const { rows } = await sql<{ until: string | null }>`
    update integrations set sealed_secret = ${sealed.secret}, sealed_old_secret = ${sealed.oldSecret},
      old_secret_until = ${sealed.oldSecret === null ? null : sql`now() + ${sealed.overlapHours} * interval '1 hour'`}
    where id = ${id} returning old_secret_until as until`.execute(tx);
  return rows[0]?.until ?? null;
}

export async function deleteIntegration(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('integrations').where('id', '=', id).execute();
}

/** All that is sealed, for the command that seals it anew. */
export async function lockSealed(tx: Tx): Promise<IntegrationRow[]> {
  const { rows } =
    await sql<IntegrationRow>`select ${INTEGRATION} from integrations order by id for update`.execute(tx);
  return rows;
}

export async function updateSealed(
  tx: Tx,
  { id, sealedParameters, sealedSecret, sealedOldSecret }: IntegrationRow,
): Promise<void> {
  await sql`update integrations set sealed_parameters = ${sealedParameters}, sealed_secret = ${sealedSecret},
    sealed_old_secret = ${sealedOldSecret} where id = ${id}`.execute(tx);
}
