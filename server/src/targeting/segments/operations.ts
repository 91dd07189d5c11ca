import { nameExists, notFound } from '@halyard/plane/platform/errors.ts';
import { jsonResponse, PathId } from '@halyard/plane/platform/http/schema.ts';
import { Type } from 'typebox';
import { command, type OperationModule, query } from '../../record/operations/definition.ts';
import type { Precondition } from '../../record/versioned.ts';
import { StrategyUse, StrategyUses } from '../strategy-uses/schema.ts';
import { checkNewSegment, createSegment } from './create.ts';
import { lockSegmentEtag, segmentEtag } from './etag.ts';
import { removeSegment } from './remove.ts';
import { Segment, SegmentInput, SegmentList, SegmentNameCheck } from './schema.ts';
import {
  findSegment,
  isNameTaken,
  listSegments,
  listStrategiesOfSegment,
  listStrategySegments,
} from './store.ts';
import { changeSegment } from './update.ts';

const params = Type.Object({ id: PathId('Segment', '3') });

const unchangedSegment = (id: number): Precondition => ({
  resourceName: `Segment ${id}`,
  readEtags: current => lockSegmentEtag(current, id),
});

/**
 * The writes check the permission themselves (permission.ts), because an operation can declare a permission only for the project
 * in its URL, but the project of a segment is in the body or in the stored segment.
 */
export const SEGMENTS: OperationModule = {
  tag: 'Segments',
  schemas: [Segment, SegmentList, StrategyUse, StrategyUses],
  operations: [
    query({
      id: 'getSegments',
      route: 'GET /api/admin/segments',
      summary: 'List segments',
      description: 'Returns the global segments and those of projects the caller may read, by name.',
      permission: 'NONE',
      output: jsonResponse('The segments', SegmentList),
      // This is a long read, because 300 segments with 1,000 values each take 30 MB.
      read: async ({ longReads, longReader, actor }) => ({
        segments: await longReads.run(longReader, db => listSegments(db, actor)),
      }),
    }),
    query({
      id: 'getSegment',
      route: 'GET /api/admin/segments/:id',
      summary: 'Get a segment',
      description:
        'Returns one segment. The segment must be global, or the caller must be allowed to read its project.',
      permission: 'NONE',
      params,
      output: jsonResponse('The segment', Segment),
      etag: segmentEtag,
      read: async ({ db, actor }, { params: { id } }) => {
        const segment = await findSegment(db, actor, Number(id));
        if (!segment) throw notFound(`Segment ${id}`);
        return segment;
      },
    }),
    command({
      id: 'createSegment',
      route: 'POST /api/admin/segments',
      summary: 'Create a segment',
      description:
        'Creates a segment for one project or for all. Requires CREATE_SEGMENT or, for one project, UPDATE_PROJECT_SEGMENT in that project.',
      permission: 'NONE',
      checksPermissions: true,
      body: SegmentInput,
      output: jsonResponse('The new segment', Segment),
      status: 201,
      rejects: [404, 409],
      checks: [
        ({ body, invalid, actor }, db) => (invalid.has('project') ? [] : checkNewSegment(db, actor, body)),
      ],
      events: ['segment-created'],
      run: (current, { body }, { limits }) => createSegment(current, body, limits.segments),
    }),
    command({
      id: 'updateSegment',
      route: 'PUT /api/admin/segments/:id',
      summary: 'Update a segment',
      description:
        'Replaces name and constraints. An omitted description or project keeps its value. Requires UPDATE_SEGMENT or, for a segment of a project, UPDATE_PROJECT_SEGMENT in that project. Moving the segment requires the permission in the new project too, and emits segment-deleted and segment-created instead of segment-updated.',
      permission: 'NONE',
      checksPermissions: true,
      params,
      body: SegmentInput,
      status: 204,
      rejects: [409],
      events: ['segment-updated', 'segment-deleted', 'segment-created'],
      precondition: ({ params: { id } }) => unchangedSegment(Number(id)),
      run: (current, { params: { id }, body }) => changeSegment(current, Number(id), body),
    }),
    command({
      id: 'deleteSegment',
      route: 'DELETE /api/admin/segments/:id',
      summary: 'Delete a segment',
      description:
        'Deletes a segment. The deletion is rejected with 409 if a strategy uses the segment. Requires DELETE_SEGMENT or, for a segment of a project, UPDATE_PROJECT_SEGMENT in that project.',
      permission: 'NONE',
      checksPermissions: true,
      params,
      status: 204,
      rejects: [409],
      events: ['segment-deleted'],
      precondition: ({ params: { id } }) => unchangedSegment(Number(id)),
      run: (current, { params: { id } }) => removeSegment(current, Number(id)),
    }),
    query({
      id: 'validateSegmentName',
      route: 'POST /api/admin/segments/validate',
      summary: 'Validate the name of a segment',
      description: 'Checks whether a segment with this name could be created now. It changes nothing.',
      permission: 'NONE',
      body: SegmentNameCheck,
      status: 204,
      rejects: [409],
      read: async ({ db }, { body }) => {
        const name = body.name.trim();
        if (await isNameTaken(db, name)) throw nameExists(`Segment "${name}"`);
      },
    }),
    query({
      id: 'getSegmentsOfStrategy',
      route: 'GET /api/admin/segments/strategies/:strategyId',
      summary: 'List the segments of a strategy',
      description:
        'Returns the segments of a strategy. The list is empty if the strategy does not exist or the caller cannot read its project.',
      permission: 'NONE',
      params: Type.Object({
        strategyId: Type.String({
          format: 'uuid',
          description: 'Id of the strategy',
          examples: ['6c1c8f2e-3b0f-4a0e-9a57-0d9b4a9f1a55'],
        }),
      }),
      output: jsonResponse('The segments', SegmentList),
      read: async ({ db, actor }, { params: { strategyId } }) => ({
        segments: await listStrategySegments(db, actor, strategyId),
      }),
    }),
    query({
      id: 'getStrategiesOfSegment',
      route: 'GET /api/admin/segments/:id/strategies',
      summary: 'List the strategies that use a segment',
      description:
        'Returns the strategies that use the segment, ordered by project, feature and environment. Returns only strategies of projects the caller may read.',
      permission: 'NONE',
      params,
      output: jsonResponse('The strategies', StrategyUses),
      read: async ({ db, actor }, { params }) => {
        const id = Number(params.id);
        if (!(await findSegment(db, actor, id))) throw notFound(`Segment ${id}`);
        return { strategies: await listStrategiesOfSegment(db, actor, id) };
      },
    }),
  ],
};
