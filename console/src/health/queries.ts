import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { schemas } from '../api/api.gen.ts';
import { api, ensureApplied, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';

export type Health = schemas['ProjectHealth'];
export type Finding = schemas['HealthFinding'];
export type Rule = schemas['HealthRule'];
export type HealthDay = schemas['HealthDay'];

const HEALTH = '/api/admin/projects/{projectId}/health';
const SNOOZE = `${HEALTH}/findings/{rule}/{subject}/snooze` as const;
/** Refetched even without an event, because findings also appear and disappear as time passes. */
const REFRESH_MS = 60_000;

/** The API query for the findings that the page shows. */
export type FindingFilter = { rule?: string; feature?: string; snoozed?: string; limit: number };

export const healthQuery = (projectId: string, query: FindingFilter) =>
  queryOptions({
    queryKey: [...keys.health(projectId), query],
    queryFn: ({ signal }) => unwrap(api.GET(HEALTH, { params: { path: { projectId }, query }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });

const DAY_MS = 86_400_000;

/** The health at the end of each of the last `days` days. */
export const historyQuery = (projectId: string, days: number) =>
  queryOptions({
    queryKey: [...keys.health(projectId), 'history', days],
    queryFn: ({ signal }) => {
      const firstDay = new Date(Date.now() - (days - 1) * DAY_MS).toISOString().slice(0, 10);
      return unwrap(
        api.GET(`${HEALTH}/history`, { params: { path: { projectId }, query: { from: firstDay } }, signal }),
      );
    },
    placeholderData: keepPreviousData,
  });

const toPath = (projectId: string, { rule, feature, segment }: Finding) => ({
  projectId,
  rule,
  subject: feature ?? String(segment?.id),
});

export const snoozeFinding = (
  projectId: string,
  finding: Finding,
  body: schemas['NewHealthSnooze'],
): Promise<void> => ensureApplied(api.PUT(SNOOZE, { params: { path: toPath(projectId, finding) }, body }));

export const unsnoozeFinding = (projectId: string, finding: Finding): Promise<void> =>
  ensureApplied(api.DELETE(SNOOZE, { params: { path: toPath(projectId, finding) } }));

export const setDebtBudget = (projectId: string, debtBudget: number | null): Promise<void> =>
  ensureApplied(
    api.PUT('/api/admin/projects/{projectId}/settings', {
      params: { path: { projectId } },
      body: { debtBudget },
    }),
  );
