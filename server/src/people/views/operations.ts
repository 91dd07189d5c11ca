import { notFound } from '@halyard/plane/platform/errors.ts';
import { COST } from '@halyard/plane/platform/http/protection/rate-limit.ts';
import { jsonResponse, PathId } from '@halyard/plane/platform/http/schema.ts';
import { Type } from 'typebox';
import { requireUser } from '../../access/caller.ts';
import { command, type OperationModule, query } from '../../record/operations/definition.ts';
import { requireUnchanged } from '../../record/versioned.ts';
import { addView, changeView, removeView } from './save.ts';
import { SavedView, SavedViewInput, SavedViewList } from './schema.ts';
import { findView, listViews } from './store.ts';
import { VERSIONED_VIEW } from './version.ts';

const params = Type.Object({ id: PathId('Saved view', '3') });

/** The saved views of the authenticated user. */
export const VIEWS: OperationModule = {
  tag: 'Users',
  schemas: [SavedView, SavedViewList],
  operations: [
    query({
      id: 'getSavedViews',
      route: 'GET /api/admin/user/views',
      summary: 'List my saved views',
      description: 'Returns the saved views of the authenticated user, sorted by name. Requires a user.',
      permission: 'NONE',
      output: jsonResponse('The views', SavedViewList),
      read: async ({ db, actor }) => ({ views: await listViews(db, requireUser(actor)) }),
    }),
    query({
      id: 'getSavedView',
      route: 'GET /api/admin/user/views/:id',
      summary: 'Get a saved view',
      description: 'Returns one saved view of the authenticated user. Requires a user.',
      permission: 'NONE',
      params,
      output: jsonResponse('The view', SavedView),
      versioned: VERSIONED_VIEW,
      read: async ({ db, actor }, { params: { id } }) => {
        const view = await findView(db, requireUser(actor), Number(id));
        if (!view) throw notFound(`Saved view ${id}`);
        return view;
      },
    }),
    command({
      id: 'createSavedView',
      route: 'POST /api/admin/user/views',
      summary: 'Save a view',
      description:
        'Saves a page and its query under a name. Only the authenticated user can see it. A user can have at most 100 saved views. Requires a user. Emits no event.',
      permission: 'NONE',
      cost: COST.personal,
      body: SavedViewInput,
      output: jsonResponse('The new view', SavedView),
      status: 201,
      rejects: [409],
      events: [],
      run: ({ tx, actor }, { body }) => addView(tx, requireUser(actor), body),
    }),
    command({
      id: 'updateSavedView',
      route: 'PUT /api/admin/user/views/:id',
      summary: 'Update a saved view',
      description:
        'Replaces the name, the page and the query of a saved view of the authenticated user. Requires a user. Emits no event.',
      permission: 'NONE',
      cost: COST.personal,
      params,
      body: SavedViewInput,
      output: jsonResponse('The view', SavedView),
      rejects: [409],
      events: [],
      precondition: ({ params: { id } }) => requireUnchanged(VERSIONED_VIEW, Number(id)),
      run: ({ tx, actor }, { params: { id }, body }) => changeView(tx, requireUser(actor), Number(id), body),
    }),
    command({
      id: 'deleteSavedView',
      route: 'DELETE /api/admin/user/views/:id',
      summary: 'Delete a saved view',
      description: 'Deletes a saved view of the authenticated user. Requires a user. Emits no event.',
      permission: 'NONE',
      cost: COST.personal,
      params,
      events: [],
      precondition: ({ params: { id } }) => requireUnchanged(VERSIONED_VIEW, Number(id)),
      run: ({ tx, actor }, { params: { id } }) => removeView(tx, requireUser(actor), Number(id)),
    }),
  ],
};
