import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { requireUser } from '../../access/caller.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { notFound } from '../../platform/errors.ts';
import type { App } from '../../platform/http/app.ts';
import { ifMatches, makeEtag, unlessKnown } from '../../platform/http/etag.ts';
import { COST } from '../../platform/http/rate-limit.ts';
import { errorResponses, jsonResponse, Nothing, PathId } from '../../platform/http/schema.ts';
import { addView, changeView, removeView } from './save.ts';
import { SavedView, SavedViewInput, SavedViewList } from './schema.ts';
import { findView, listViews, lockView } from './store.ts';

const tags = ['Users'];
const params = Type.Object({ id: PathId('Saved view', '3') });

/** The saved views of the authenticated user. */
export function viewRoutes(app: App, db: Db): void {
  for (const schema of [SavedView, SavedViewList]) app.addSchema(schema);

  app.get(
    '/api/admin/user/views',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getSavedViews',
        tags,
        summary: 'List my saved views',
        description: 'Returns the saved views of the authenticated user, by name. Requires a user.',
        response: { 200: jsonResponse('The views', SavedViewList), ...errorResponses(401, 403) },
      },
    },
    async request => ({ views: await listViews(db, requireUser(request.actor)) }),
  );

  app.get(
    '/api/admin/user/views/:id',
    {
      config: { etag: true, permission: 'NONE' },
      schema: {
        operationId: 'getSavedView',
        tags,
        summary: 'Get a saved view',
        description: 'Returns one saved view of the authenticated user. Requires a user.',
        params,
        response: { 200: jsonResponse('The view', SavedView), ...errorResponses(400, 401, 403, 404) },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const view = await findView(db, requireUser(request.actor), Number(id));
      if (!view) throw notFound(`Saved view ${id}`);
      return unlessKnown(request, reply, makeEtag(view), view);
    },
  );

  app.post(
    '/api/admin/user/views',
    {
      config: { permission: 'NONE', cost: COST.personal },
      schema: {
        operationId: 'createSavedView',
        tags,
        summary: 'Save a view',
        description:
          'Saves a page and its query under a name. Only the authenticated user sees it. A user can have at most 100 saved views. Requires a user. Emits no event.',
        body: SavedViewInput,
        response: {
          201: jsonResponse('The new view', SavedView),
          ...errorResponses(400, 401, 403, 409, 413, 415),
        },
      },
    },
    async (request, reply) => {
      const userId = requireUser(request.actor);
      const view = await db.transaction().execute(tx => addView(tx, userId, request.body));
      return reply.code(201).send(view);
    },
  );

  app.put(
    '/api/admin/user/views/:id',
    {
      config: { ifMatch: true, permission: 'NONE', cost: COST.personal },
      schema: {
        operationId: 'updateSavedView',
        tags,
        summary: 'Update a saved view',
        description:
          'Replaces the name, the page and the query of a saved view of the authenticated user. Requires a user. Emits no event.',
        params,
        body: SavedViewInput,
        response: {
          200: jsonResponse('The view', SavedView),
          ...errorResponses(400, 401, 403, 404, 409, 413, 415),
        },
      },
    },
    async request => {
      const [userId, id] = [requireUser(request.actor), Number(request.params.id)];
      return await inView(db, request, userId, id, tx => changeView(tx, userId, id, request.body));
    },
  );

  app.delete(
    '/api/admin/user/views/:id',
    {
      config: { ifMatch: true, permission: 'NONE', cost: COST.personal },
      schema: {
        operationId: 'deleteSavedView',
        tags,
        summary: 'Delete a saved view',
        description: 'Deletes a saved view of the authenticated user. Requires a user. Emits no event.',
        params,
        response: { 200: Nothing, ...errorResponses(400, 401, 403, 404) },
      },
    },
    async (request, reply) => {
      const [userId, id] = [requireUser(request.actor), Number(request.params.id)];
      await inView(db, request, userId, id, tx => removeView(tx, userId, id));
      return reply.code(200).send();
    },
  );
}

/** A transaction that checks If-Match. Saved views record no events, so it is no change. */
const inView = <T>(
  db: Db,
  request: FastifyRequest,
  userId: number,
  id: number,
  work: (tx: Tx) => Promise<T>,
): Promise<T> =>
  db.transaction().execute(tx =>
    ifMatches(
      request,
      `Saved view ${id}`,
      async () => {
        const view = await lockView(tx, userId, id);
        return view ? [makeEtag(view)] : [];
      },
      () => work(tx),
    ),
  );
