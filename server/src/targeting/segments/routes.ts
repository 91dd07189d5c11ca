import { Type } from 'typebox';
import type { Limits } from '../../platform/config.ts';
import type { Db } from '../../platform/db/database.ts';
import { nameExists, notFound } from '../../platform/errors.ts';
import type { App } from '../../platform/http/app.ts';
import { ifMatches, unlessKnown } from '../../platform/http/etag.ts';
import type { LongReads } from '../../platform/http/long-reads.ts';
import { errorResponses, jsonResponse, Nothing, PathId } from '../../platform/http/schema.ts';
import { change } from '../../record/change.ts';
import { StrategyUse, StrategyUses } from '../strategy-uses/schema.ts';
import { checkNewSegment, createSegment } from './create.ts';
import { etagOfSegment, lockSegmentEtag } from './etag.ts';
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

export function segmentRoutes(
  app: App,
  db: Db,
  limits: Pick<Limits, 'segments'>,
  longReads: LongReads,
): void {
  for (const schema of [Segment, SegmentList, StrategyUse, StrategyUses]) app.addSchema(schema);

  app.get(
    '/api/admin/segments',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getSegments',
        tags,
        summary: 'List segments',
        description: 'Returns the global segments and those of projects the caller may read, by name.',
        response: { 200: jsonResponse('The segments', SegmentList), ...errorResponses(401, 403) },
      },
    },
    // 300 segments with 1,000 values each are 30 MB.
    async request => ({
      segments: await longReads.run(request, db => listSegments(db, request.actor)),
    }),
  );

  app.get(
    '/api/admin/segments/:id',
    {
      config: { permission: 'NONE', etag: true },
      schema: {
        operationId: 'getSegment',
        tags,
        summary: 'Get a segment',
        description:
          'Returns one segment. The segment must be global, or the caller must be allowed to read its project.',
        params,
        response: { 200: jsonResponse('The segment', Segment), ...errorResponses(400, 401, 403, 404) },
      },
    },
    async (request, reply) => {
      const segment = await findSegment(db, request.actor, Number(request.params.id));
      if (!segment) throw notFound(`Segment ${request.params.id}`);
      return unlessKnown(request, reply, etagOfSegment(segment), segment);
    },
  );

  // The operations check the permission themselves (permission.ts), because a route can require a permission only in the
  // project of its URL. The project of a segment is in the body or in the stored segment.
  app.post(
    '/api/admin/segments',
    {
      config: {
        permission: 'NONE',
        checks: [
          ({ body, invalid, actor }) => (invalid.has('project') ? [] : checkNewSegment(db, actor, body)),
        ],
      },
      schema: {
        operationId: 'createSegment',
        tags,
        summary: 'Create a segment',
        description:
          'Creates a segment for one project or for all. Requires CREATE_SEGMENT or, for one project, UPDATE_PROJECT_SEGMENT in that project. Events: segment-created.',
        body: SegmentInput,
        response: {
          201: jsonResponse('The new segment', Segment),
          ...errorResponses(400, 401, 403, 404, 409, 413, 415),
        },
      },
    },
    async (request, reply) => {
      const created = await change(db, request.actor, current =>
        createSegment(current, request.body, limits.segments),
      );
      return reply.code(201).send(created);
    },
  );

  app.put(
    '/api/admin/segments/:id',
    {
      config: { permission: 'NONE', ifMatch: true },
      schema: {
        operationId: 'updateSegment',
        tags,
        summary: 'Update a segment',
        description:
          'Replaces name and constraints. An omitted description or project keeps its value. Requires UPDATE_SEGMENT or, for a segment of a project, UPDATE_PROJECT_SEGMENT in that project. Moving the segment requires the permission in the new project too. Events: segment-updated; a move between projects emits segment-deleted and segment-created instead.',
        params,
        body: SegmentInput,
        response: { 204: Nothing, ...errorResponses(400, 401, 403, 404, 409, 413, 415) },
      },
    },
    async (request, reply) => {
      const id = Number(request.params.id);
      await change(db, request.actor, current =>
        ifMatches(
          request,
          `Segment ${id}`,
          () => lockSegmentEtag(current, id),
          () => changeSegment(current, id, request.body),
        ),
      );
      return reply.code(204).send();
    },
  );

  app.delete(
    '/api/admin/segments/:id',
    {
      config: { permission: 'NONE', ifMatch: true },
      schema: {
        operationId: 'deleteSegment',
        tags,
        summary: 'Delete a segment',
        description:
          'Deletes a segment. A segment that a strategy uses is rejected with 409. Requires DELETE_SEGMENT or, for a segment of a project, UPDATE_PROJECT_SEGMENT in that project. Events: segment-deleted.',
        params,
        response: { 204: Nothing, ...errorResponses(400, 401, 403, 404, 409) },
      },
    },
    async (request, reply) => {
      const id = Number(request.params.id);
      await change(db, request.actor, current =>
        ifMatches(
          request,
          `Segment ${id}`,
          () => lockSegmentEtag(current, id),
          () => removeSegment(current, id),
        ),
      );
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
        summary: 'Validate the name of a segment',
        description: 'Checks whether a segment with this name could be created now. It changes nothing.',
        body: SegmentNameCheck,
        response: { 204: Nothing, ...errorResponses(400, 401, 403, 409, 413, 415) },
      },
    },
    async (request, reply) => {
      const name = request.body.name.trim();
      if (await isNameTaken(db, name)) throw nameExists(`Segment "${name}"`);
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
          'Returns the segments of a strategy. The list is empty if the strategy does not exist or the caller may not read its project.',
        params: Type.Object({
          strategyId: Type.String({
            format: 'uuid',
            description: 'Id of the strategy',
            examples: ['6c1c8f2e-3b0f-4a0e-9a57-0d9b4a9f1a55'],
          }),
        }),
        response: { 200: jsonResponse('The segments', SegmentList), ...errorResponses(400, 401, 403) },
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
        description:
          'Returns the strategies that use the segment, ordered by project, feature and environment. Returns only strategies of projects the caller may read.',
        params,
        response: {
          200: jsonResponse('The strategies', StrategyUses),
          ...errorResponses(400, 401, 403, 404),
        },
      },
    },
    async request => {
      const id = Number(request.params.id);
      if (!(await findSegment(db, request.actor, id))) throw notFound(`Segment ${id}`);
      return { strategies: await listStrategiesOfSegment(db, request.actor, id) };
    },
  );
}
