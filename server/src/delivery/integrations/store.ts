import { sql } from 'kysely';
import type { Actor } from '../../platform/actor.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';
import { EVENT_COLUMNS, type EventRow, isVisible } from '../../record/events/store.ts';
import { matchesFilters } from '../outbox.ts';
import { toFilterColumns } from './filter.ts';
import type { Parameters } from './providers/provider.ts';
import type { Integration, IntegrationFilter } from './schema.ts';

export type IntegrationRow = Omit<Integration, 'parameters' | 'problem'> & {
  parameters: Parameters;
  sealedParameters: string | null;
  sealedSecret: string | null;
  sealedOldSecret: string | null;
  failedAttempts: number;
};

export const INTEGRATION_COLUMNS = sql`
  integrations.id, integrations.provider, integrations.description, integrations.enabled, integrations.parameters,
  integrations.events, integrations.projects, integrations.environments,
  integrations.events_without_project as "eventsWithoutProject", integrations.filter, integrations.ordered,
  case integrations.when_given_up when 'hold' then 'block' else 'skip' end as "whenExhausted",
  integrations.created_at as "createdAt", integrations.failing_since as "failingSince",
  integrations.disabled_at as "disabledAt", integrations.disabled_because as "disabledBecause",
  integrations.old_secret_until as "oldSecretUntil", integrations.sealed_parameters as "sealedParameters",
  integrations.sealed_secret as "sealedSecret", integrations.sealed_old_secret as "sealedOldSecret",
  integrations.failed_attempts as "failedAttempts"`;

export async function findIntegration(db: Reader, id: number): Promise<IntegrationRow | undefined> {
  const { rows } =
    await sql<IntegrationRow>`select ${INTEGRATION_COLUMNS} from integrations where id = ${id}`.execute(db);
  return rows[0];
}

export async function lockIntegration(tx: Tx, id: number): Promise<IntegrationRow | undefined> {
  const { rows } = await sql<IntegrationRow>`
    select ${INTEGRATION_COLUMNS} from integrations where id = ${id} for update`.execute(tx);
  return rows[0];
}

export async function listIntegrationsById(db: Reader, ids: number[]): Promise<IntegrationRow[]> {
  const { rows } = await sql<IntegrationRow>`
    select ${INTEGRATION_COLUMNS} from integrations where id = any(${ids}::integer[])`.execute(db);
  return rows;
}

export async function listIntegrations(db: Reader): Promise<IntegrationRow[]> {
  const { rows } =
    await sql<IntegrationRow>`select ${INTEGRATION_COLUMNS} from integrations order by id`.execute(db);
  return rows;
}

/** Counts the integrations under a lock, so that concurrent requests cannot exceed the limit together. */
export async function lockIntegrationCount(tx: Tx): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtext('integrations count'))`.execute(tx);
  const { rows } = await sql<{ count: number }>`select count(*) from integrations`.execute(tx);
  return rows[0]?.count ?? 0;
}

/** Reserves an id before the insert, because encrypted values are bound to the id. */
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
  | 'filter'
  | 'ordered'
  | 'whenExhausted'
>;

/** The column still has its original name, because renaming it would break servers of the previous version. */
const whenExhaustedColumn = ({ whenExhausted }: IntegrationFields) =>
  whenExhausted === 'block' ? 'hold' : 'skip';

const toJson = (filter: IntegrationFilter | null) => (filter === null ? null : JSON.stringify(filter));

export async function insertIntegration(
  tx: Tx,
  id: number,
  fields: IntegrationFields,
  sealedSecret: string | null,
): Promise<IntegrationRow> {
  const filter = toFilterColumns(fields.filter);
  const { rows } = await sql<IntegrationRow>`
    insert into integrations (id, provider, description, enabled, parameters, sealed_parameters, events, projects,
      environments, events_without_project, ordered, when_given_up, sealed_secret, filter, filter_features,
      filter_projects, filter_types, filter_creators, filter_environments, filter_texts)
    overriding system value
    values (${id}, ${fields.provider}, ${fields.description}, ${fields.enabled}, ${JSON.stringify(fields.parameters)},
      ${fields.sealedParameters}, ${fields.events}, ${fields.projects}, ${fields.environments},
      ${fields.eventsWithoutProject}, ${fields.ordered}, ${whenExhaustedColumn(fields)}, ${sealedSecret},
      ${toJson(fields.filter)}::jsonb, ${filter.filter_features}, ${filter.filter_projects}, ${filter.filter_types},
      ${filter.filter_creators}, ${filter.filter_environments}, ${filter.filter_texts})
    returning ${INTEGRATION_COLUMNS}`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error('The integration was not inserted');
  return row;
}

/** Enabling resets the failure counters. Disabling stores the time, so that missed events can be backfilled. */
const setEnabled = (enabled: boolean) => sql`
  disabled_at = case when enabled and not ${enabled} then now() else disabled_at end,
  disabled_because = case when enabled = ${enabled} then disabled_because end,
  failing_since = case when enabled = ${enabled} then failing_since end,
  failed_attempts = case when enabled = ${enabled} then failed_attempts else 0 end,
  warned_at = case when enabled = ${enabled} then warned_at end,
  enabled = ${enabled}`;

export async function updateEnabled(tx: Tx, id: number, enabled: boolean): Promise<IntegrationRow> {
  const { rows } = await sql<IntegrationRow>`
    update integrations set ${setEnabled(enabled)} where id = ${id}
    returning ${INTEGRATION_COLUMNS}`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error(`Integration ${id} vanished while it was locked`);
  return row;
}

export async function replaceIntegration(
  tx: Tx,
  id: number,
  fields: IntegrationFields,
): Promise<IntegrationRow> {
  const filter = toFilterColumns(fields.filter);
  const { rows } = await sql<IntegrationRow>`
    update integrations set provider = ${fields.provider}, description = ${fields.description},
      parameters = ${JSON.stringify(fields.parameters)}, sealed_parameters = ${fields.sealedParameters},
      events = ${fields.events}, projects = ${fields.projects}, environments = ${fields.environments},
      events_without_project = ${fields.eventsWithoutProject}, ordered = ${fields.ordered},
      when_given_up = ${whenExhaustedColumn(fields)}, filter = ${toJson(fields.filter)}::jsonb,
      filter_features = ${filter.filter_features}, filter_projects = ${filter.filter_projects},
      filter_types = ${filter.filter_types}, filter_creators = ${filter.filter_creators},
      filter_environments = ${filter.filter_environments}, filter_texts = ${filter.filter_texts},
      ${setEnabled(fields.enabled)}
    where id = ${id}
    returning ${INTEGRATION_COLUMNS}`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error(`Integration ${id} vanished while it was locked`);
  return row;
}

export async function setDisabled(tx: Tx, id: number, reason: string): Promise<void> {
  await sql`update integrations set enabled = false, disabled_at = now(), disabled_because = ${reason}
    where id = ${id}`.execute(tx);
}

/** Marks an integration's warning as recorded. Returns false if it was already marked, or if the integration no longer fails. */
export async function markWarned(tx: Tx, id: number): Promise<boolean> {
  const { rows } = await sql`
    update integrations set warned_at = now()
    where id = ${id} and enabled and warned_at is null and failing_since is not null returning 1`.execute(tx);
  return rows.length > 0;
}

export async function updateSecrets(
  tx: Tx,
  id: number,
  secrets: { secret: string; oldSecret: string | null; overlapHours: number },
): Promise<string | null> {
  const { rows } = await sql<{ until: string | null }>`
    update integrations set sealed_secret = ${secrets.secret}, sealed_old_secret = ${secrets.oldSecret},
      old_secret_until = ${secrets.oldSecret === null ? null : sql`now() + ${secrets.overlapHours} * interval '1 hour'`}
    where id = ${id} returning old_secret_until as until`.execute(tx);
  return rows[0]?.until ?? null;
}

export async function deleteIntegration(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('integrations').where('id', '=', id).execute();
}

/** Locks all integrations, for the command that rotates the encryption key. */
export async function lockAllIntegrations(tx: Tx): Promise<IntegrationRow[]> {
  const { rows } = await sql<IntegrationRow>`
    select ${INTEGRATION_COLUMNS} from integrations order by id for update`.execute(tx);
  return rows;
}

export async function updateSealedValues(
  tx: Tx,
  { id, sealedParameters, sealedSecret, sealedOldSecret }: IntegrationRow,
): Promise<void> {
  await sql`update integrations set sealed_parameters = ${sealedParameters}, sealed_secret = ${sealedSecret},
    sealed_old_secret = ${sealedOldSecret} where id = ${id}`.execute(tx);
}

export type PreviewedFilters = Pick<
  IntegrationFields,
  'events' | 'projects' | 'environments' | 'eventsWithoutProject' | 'filter'
>;

/** Lists the newest events after an id that an integration with these filters would receive, and that the actor can see. */
export async function listMatchingEvents(
  db: Reader,
  actor: Actor,
  fields: PreviewedFilters,
  afterId: number,
  limit: number,
): Promise<EventRow[]> {
  const filter = toFilterColumns(fields.filter);
  const { rows } = await sql<EventRow>`
    with integrations as (
      select ${fields.events}::text[] as events, ${fields.projects}::text[] as projects,
        ${fields.environments}::text[] as environments, ${fields.eventsWithoutProject}::boolean as events_without_project,
        ${filter.filter_features}::text[] as filter_features, ${filter.filter_projects}::text[] as filter_projects,
        ${filter.filter_types}::text[] as filter_types, ${filter.filter_creators}::integer[] as filter_creators,
        ${filter.filter_environments}::text[] as filter_environments, ${filter.filter_texts}::text[] as filter_texts
    ),
    visible as (select * from events where id > ${afterId} and ${isVisible(actor, { query: fields.filter?.query })})
    select ${EVENT_COLUMNS} from visible as events join integrations on ${matchesFilters('events')}
    order by events.id desc limit ${limit}`.execute(db);
  return rows;
}
