import { jsonResponse } from '@halyard/plane/platform/http/schema.ts';
import { Type } from 'typebox';
import { projectId, projectParams } from '../../platform/http/params.ts';
import { command, type OperationModule, query } from '../../record/operations/definition.ts';
import { explainHealth } from './findings/explain.ts';
import { parseFindingSearch } from './findings/query.ts';
import { Finding, HealthQuery, ProjectHealth, ruleName } from './findings/schema.ts';
import { parseRange, readHistory } from './history/read.ts';
import { HealthHistory, HistoryQuery } from './history/schema.ts';
import { ProjectInsights, ProjectStats, ProjectStatus } from './schema.ts';
import { NewSnooze, Snooze } from './snoozes/schema.ts';
import { readSnooze, snoozeFinding, unsnoozeFinding } from './snoozes/snooze.ts';
import { readInsights, readStatus } from './status.ts';

const findingParams = Type.Object({
  projectId,
  rule: { ...ruleName, title: 'HealthFindingRule' },
  subject: Type.String({
    title: 'HealthFindingSubject',
    description: 'Name of the feature or id of the segment that the finding is about',
    examples: ['checkout-v2'],
  }),
});

const PROJECT = '/api/admin/projects/:projectId';
const SNOOZE = `${PROJECT}/health/findings/:rule/:subject/snooze` as const;

export const PROJECT_HEALTH: OperationModule = {
  tag: 'Health',
  schemas: [ProjectStats, ProjectStatus, ProjectInsights, Snooze, Finding, ProjectHealth, HealthHistory],
  operations: [
    query({
      id: 'getProjectStatus',
      route: `GET ${PROJECT}/status`,
      summary: 'Get the status of a project',
      description:
        'Returns the current health, activity, resources and lifecycle stages of the project. Every caller who may read the project may call it.',
      permission: 'NONE',
      params: projectParams,
      output: jsonResponse('The status', ProjectStatus),
      read: ({ longReads, longReader }, { params: { projectId } }) =>
        longReads.run(longReader, db => readStatus(db, projectId, new Date())),
    }),
    query({
      id: 'getProjectInsights',
      route: `GET ${PROJECT}/insights`,
      summary: 'Get the insights of a project',
      description:
        'Returns statistics for the last 30 days and the 30 days before, the health and the time to production. Every caller who may read the project may call it.',
      permission: 'NONE',
      params: projectParams,
      output: jsonResponse('The insights', ProjectInsights),
      read: ({ longReads, longReader }, { params: { projectId } }) =>
        longReads.run(longReader, db => readInsights(db, projectId, new Date())),
    }),
    query({
      id: 'getProjectHealth',
      route: `GET ${PROJECT}/health`,
      summary: 'Explain the health of a project',
      description:
        'Returns the health of a project, its formula and a page of findings, each with its rule, its evidence, how to fix it, and the points that the health would gain. Snoozed findings are omitted by default. Every caller who may read the project may call it.',
      permission: 'NONE',
      params: projectParams,
      query: HealthQuery,
      output: jsonResponse('The health and a page of findings', ProjectHealth),
      read: async ({ longReads, longReader }, { params: { projectId }, query }) => {
        const search = parseFindingSearch(query);
        return await longReads.run(longReader, db => explainHealth(db, projectId, new Date(), search));
      },
    }),
    query({
      id: 'getProjectHealthHistory',
      route: `GET ${PROJECT}/health/history`,
      summary: 'Get the health history of a project',
      description:
        'Returns the health of a project for each day of a range of up to 366 days, rebuilt from the events. Every caller who may read the project may call it.',
      permission: 'NONE',
      params: projectParams,
      query: HistoryQuery,
      output: jsonResponse('The days', HealthHistory),
      read: async ({ longReads, longReader }, { params: { projectId }, query }) => {
        const now = new Date();
        const range = parseRange(query, now);
        return await longReads.run(longReader, db => readHistory(db, projectId, range, now));
      },
    }),
    command({
      id: 'snoozeFinding',
      route: `PUT ${SNOOZE}`,
      summary: 'Snooze a finding',
      description: 'Hides a finding from the list until the given time. It still affects the health.',
      permission: ['UPDATE_FEATURE', 'UPDATE_PROJECT'],
      params: findingParams,
      body: NewSnooze,
      output: jsonResponse('The snooze', Snooze),
      events: ['health-finding-snoozed'],
      run: (current, { params, body }) => snoozeFinding(current, params, body, new Date()),
      respond: (tx, _actor, subject, { params: { rule } }) => readSnooze(tx, rule, subject),
    }),
    command({
      id: 'unsnoozeFinding',
      route: `DELETE ${SNOOZE}`,
      summary: 'Unsnooze a finding',
      description: 'Ends the snooze of a finding, so that it is listed again.',
      permission: ['UPDATE_FEATURE', 'UPDATE_PROJECT'],
      params: findingParams,
      events: ['health-finding-unsnoozed'],
      run: (current, { params }) => unsnoozeFinding(current, params),
    }),
  ],
};
