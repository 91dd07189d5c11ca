import { Type } from 'typebox';
import type { Limits } from '../../platform/config.ts';
import type { Db } from '../../platform/db/database.ts';
import { nameExists, notFound } from '../../platform/errors.ts';
import type { App } from '../../platform/http/app.ts';
import { answer, Nothing, PathId, refusals } from '../../platform/http/schema.ts';
import { StrategyUse, StrategyUses } from '../strategy-uses/schema.ts';
import { checkConstraints, createSegment } from './create.ts';
import { removeSegment } from './remove.ts';
import { Segment, SegmentInput, SegmentList, SegmentNameCheck } from './schema.ts';
import {
  findSegment,
  isNameTaken,
  listSegments,
  listSegmentsOfStrategy,
  listStrategiesOfSegment,
} from './store.ts';
import { changeSegment } from './update.ts';

const tags = ['Segments'];
const params = Type.Object({
  id: PathId('Segment', '3'),
});

export function segmentRoutes(app: App, db: Db, limits: Pick<Limits, 'segments'>): void {
  for (const schema of [Segment, SegmentList, StrategyUse, StrategyUses]) app.addSchema(schema);

  app.get(
    '/api/admin/segments',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getSegments',
        tags,
        summary: 'List segments',
        description: 'The global segments and those of projects the caller may read, by name.',
        response: { 200: answer('The segments', SegmentList), ...refusals(401, 403) },
      },
    },
    async request => ({ segments: await listSegments(db, request.actor) }),
  );

  app.get(
    '/api/admin/segments/:id',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getSegment',
        tags,
        summary: 'Get a segment',
        description: 'One segment, if it is global or the caller may read its project.',
        params,
        response: { 200: answer('The segment', Segment), ...refusals(400, 401, 403, 404) },
      },
    },
    async request => {
      const segment = await findSegment(db, request.actor, Number(request.params.id));
      if (!segment) throw notFound(`Segment ${request.params.id}`);
      return segment;
    },
  );

  // The three that write let everyone in and decide inside (permission.ts): a route can ask for a permission in the
  // project of its address only, and here the project stands in the body or in the segment itself.
  app.post(
    '/api/admin/segments',
    {
      config: {
        permission: 'NONE',
        checks: [
          ({ body, invalid, actor }) => (invalid.has('project') ? [] : checkConstraints(db, actor, body)),
        ],
      },
      schema: {
        operationId: 'createSegment',
        tags,
        summary: 'Create a segment',
        description:
          'Creates a segment for all projects, or for one. Needs CREATE_SEGMENT or, for one project, UPDATE_PROJECT_SEGMENT there. Events: segment-created.',
        body: SegmentInput,
        response: { 201: answer('The new segment', Segment), ...refusals(400, 401, 403, 404, 409, 413, 415) },
      },
    },
    async (request, reply) =>
      reply.code(201).send(await createSegment(db, request.actor, request.body, limits.segments)),
  );

  app.put(
    '/api/admin/segments/:id',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'updateSegment',
        tags,
        summary: 'Update a segment',
        description:
          'Replaces name and constraints; description and project stay if they are left out. Needs UPDATE_SEGMENT or, if it belongs to a project, UPDATE_PROJECT_SEGMENT there; a new project asks for the same again. Events: segment-updated.',
        params,
        body: SegmentInput,
        response: { 204: Nothing, ...refusals(400, 401, 403, 404, 409, 413, 415) },
      },
    },
    async (request, reply) => {
      await changeSegment(db, request.actor, Number(request.params.id), request.body);
      return reply.code(204).send();
    },
  );

  app.delete(
    '/api/admin/segments/:id',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'deleteSegment',
        tags,
        summary: 'Delete a segment',
        description:
          'Deletes a segment that no strategy uses. Needs DELETE_SEGMENT or, if it belongs to a project, UPDATE_PROJECT_SEGMENT there. Events: segment-deleted.',
        params,
        response: { 204: Nothing, ...refusals(400, 401, 403, 404, 409) },
      },
    },
    async (request, reply) => {
      await removeSegment(db, request.actor, Number(request.params.id));
      return reply.code(204).send();
    },
  );

  app.post(
    '/api/admin/segments/validate',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'validateSegmentName',
        tags,
        summary: 'Check the name of a segment',
        description: 'Answers whether a new segment could have the name at this moment.',
        body: SegmentNameCheck,
        response: { 204: Nothing, ...refusals(400, 401, 403, 409, 413, 415) },
      },
    },
    async (request, reply) => {
      if (await isNameTaken(db, request.body.name.trim())) throw nameExists('A segment with this name');
      return reply.code(204).send();
    },
  );

  app.get(
    '/api/admin/segments/strategies/:strategyId',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getSegmentsOfStrategy',
        tags,
        summary: 'List the segments of a strategy',
        description:
          'Empty if the strategy has none, does not exist, or the caller may not read its project.',
        params: Type.Object({
          strategyId: Type.String({
            format: 'uuid',
            description: 'Id of the strategy',
            examples: ['6c1c8f2e-3b0f-4a0e-9a57-0d9b4a9f1a55'],
          }),
        }),
        response: { 200: answer('The segments', SegmentList), ...refusals(400, 401, 403) },
      },
    },
    async request => ({
      segments: await listSegmentsOfStrategy(db, request.actor, request.params.strategyId),
    }),
  );

  app.get(
    '/api/admin/segments/:id/strategies',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getStrategiesOfSegment',
        tags,
        summary: 'List the strategies that use a segment',
        description: 'Those of projects the caller may read, by project, feature and environment.',
        params,
        response: { 200: answer('The strategies', StrategyUses), ...refusals(400, 401, 403, 404) },
      },
    },
    async request => {
      const id = Number(request.params.id);
      if (!(await findSegment(db, request.actor, id))) throw notFound(`Segment ${id}`);
      return { strategies: await listStrategiesOfSegment(db, request.actor, id) };
    },
  );
}
