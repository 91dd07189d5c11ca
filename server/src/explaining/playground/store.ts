import { sql } from 'kysely';
import { isInReadableProject } from '../../access/store.ts';
import type { FeatureState } from '../../flags/features/schema.ts';
import { listReadableStates } from '../../flags/features/state/store.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import type { Segment } from '../explanation/document.ts';

export { listExistingEnvironments } from '../../flags/environments/store.ts';

/** The features to evaluate. Undefined means all that the actor can read. */
export type FeatureSelection = {
  environments: string[];
  projects: string[] | undefined;
  features: string[] | undefined;
};

/** A strategy as the admin API shows it. SDKs get neither ids nor titles. */
export type StrategyRow = {
  id: string;
  name: string;
  title: string | null;
  disabled: boolean;
  parameters: Record<string, string>;
};

export type DocumentRow = {
  environment: string;
  project: string;
  name: string;
  /** The feature as SDKs get it. */
  document: string;
  strategies: StrategyRow[];
  /** False for a feature that is only included because a selected feature depends on it. */
  isSelected: boolean;
};

export type SegmentRow = { id: number; document: string };

/** Returns those of the given features that are active and that the actor can read. */
export async function listReadableFeatures(
  db: Reader,
  actor: Actor,
  names: string[],
): Promise<{ name: string; project: string }[]> {
  const { rows } = await sql<{ name: string; project: string }>`
    select name, project from features
    where name = any(${names}) and archived_at is null and ${isInReadableProject(actor)}`.execute(db);
  return rows;
}

const matchesSelection = (actor: Actor, { environments, projects, features }: FeatureSelection) => sql`
  environment = any(${environments}) and document is not null and ${isInReadableProject(actor)}
  and ${projects ? sql`project = any(${projects})` : sql`true`}
  and ${features ? sql`name = any(${features})` : sql`true`}`;

export type DocumentSizes = { count: number; total: number; largest: number };

/** Returns the number and the sizes of the documents, without reading them. */
export async function measureDocuments(
  db: Reader,
  actor: Actor,
  selection: FeatureSelection,
): Promise<DocumentSizes> {
  const { rows } = await sql<DocumentSizes>`
    select count(*) as count, coalesce(sum(octet_length(document)), 0)::bigint as total,
      coalesce(max(octet_length(document)), 0) as largest
    from sdk_features where ${matchesSelection(actor, selection)}`.execute(db);
  return rows[0] ?? { count: 0, total: 0, largest: 0 };
}

type Row = { kind: 'feature' | 'segment'; id: number | null } & {
  [K in keyof DocumentRow]: DocumentRow[K] | null;
} & {
  document: string;
};

/**
 * Reads the documents of at most `max` selected features and of their parents, with the segments that these features and the
 * drafts use. It is a single statement, so that all rows come from one snapshot.
 */
export async function readDocuments(
  db: Reader,
  actor: Actor,
  selection: FeatureSelection,
  draftSegments: number[],
  max: number,
): Promise<{ features: DocumentRow[]; segments: SegmentRow[] }> {
  const { rows } = await sql<Row>`
    with selected as materialized (
      select environment, project, name, document, segments from sdk_features
      where ${matchesSelection(actor, selection)} limit ${max}
    ), known as materialized (
      select *, true as is_selected from selected
      union all
      select environment, project, name, document, segments, false from sdk_features
      where document is not null and ${isInReadableProject(actor)} and (environment, name) in (
        select environment, parent from selected join feature_dependencies on child = name
        except select environment, name from selected
      )
    )
    select 'feature' as kind, null::integer as id, environment, project, name, document, is_selected as "isSelected", coalesce((
      select json_agg(json_build_object(
        'id', id, 'name', strategy_name, 'title', title, 'disabled', disabled, 'parameters', parameters
      ) order by sort_order, created_at, id)
      from feature_strategies where feature_name = known.name and environment = known.environment
    ), '[]') as strategies
    from known
    union all
    select 'segment', id, null, null, null,
      json_build_object('id', id, 'name', name, 'constraints', constraints)::text, null, null
    from segments where id = any(${draftSegments}) or id in (select unnest(segments) from known)`.execute(db);
  return {
    features: rows.flatMap(({ kind, environment, project, name, document, strategies, isSelected }) =>
      kind === 'feature' && environment !== null && project !== null && name !== null
        ? [
            {
              environment,
              project,
              name,
              document,
              strategies: strategies ?? [],
              isSelected: isSelected ?? false,
            },
          ]
        : [],
    ),
    segments: rows.flatMap(({ kind, id, document }) =>
      kind === 'segment' && id !== null ? [{ id, document }] : [],
    ),
  };
}

/** Returns the current state of the given features that the actor can read, including archived ones. */
export async function listCurrentStates(db: Reader, actor: Actor, names: string[]): Promise<FeatureState[]> {
  return await listReadableStates(db, actor, names);
}

/** An event to undo. */
export type EventToUndo = {
  type: string;
  featureName: string | null;
  environment: string | null;
  data: object | null;
  preData: object | null;
};

const UNDONE_EVENT_FIELDS = sql`
  type, feature_name as "featureName", environment, data, pre_data as "preData" from events`;

/** A condition on `events`, true if Halyard recorded the event. Imported events that Unleash recorded cannot be undone. */
const IS_OWN = sql`id > 0`;

/** Lists events of these types about the features after a time, newest first. */
export async function listFeatureEvents(
  db: Reader,
  names: string[],
  types: string[],
  at: string,
  limit: number,
): Promise<EventToUndo[]> {
  const { rows } = await sql<EventToUndo>`
    select ${UNDONE_EVENT_FIELDS}
    where feature_name = any(${names}) and type = any(${types}) and created_at > ${at} and ${IS_OWN}
    order by id desc limit ${limit}`.execute(db);
  return rows;
}

/** Lists events about the segments after a time, newest first. */
export async function listSegmentEvents(
  db: Reader,
  ids: number[],
  at: string,
  limit: number,
): Promise<EventToUndo[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<EventToUndo>`
    select ${UNDONE_EVENT_FIELDS}
    where type = any(array['segment-created', 'segment-updated', 'segment-deleted']) and created_at > ${at} and ${IS_OWN}
      and coalesce(data, pre_data) ->> 'id' = any(${ids.map(String)})
    order by id desc limit ${limit}`.execute(db);
  return rows;
}

export async function listSegments(db: Reader, ids: number[]): Promise<Segment[]> {
  const { rows } = await sql<Segment>`
    select id, name, constraints from segments where id = any(${ids})`.execute(db);
  return rows;
}

/**
 * Lists the environments that were added to or removed from the projects after a time. The earlier state of the features in those
 * environments is unknown, because events do not record it.
 */
export async function listChangedEnvironments(
  db: Reader,
  projects: string[],
  environments: string[],
  at: string,
): Promise<{ project: string | null; environment: string | null }[]> {
  const { rows } = await sql<{ project: string | null; environment: string | null }>`
    select distinct project, environment from events
    where type = any(array['project-environment-added', 'project-environment-removed']) and created_at > ${at} and ${IS_OWN}
      and project = any(${projects}) and environment = any(${environments})`.execute(db);
  return rows;
}
