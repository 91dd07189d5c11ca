import { notFound } from '@halyard/plane/platform/errors.ts';
import type { App } from '@halyard/plane/platform/http/app.ts';
import { errorResponses, jsonResponse } from '@halyard/plane/platform/http/schema.ts';
import type { Db } from '../../platform/db/database.ts';
import { params } from '../integrations/schema.ts';
import { presentForAdmin } from './present.ts';
import { type RenderSettings, renderDelivery } from './render.ts';
import { PreviewedEvents, PreviewRequest, RenderedDelivery } from './schema.ts';
import { integrationExists, listEventsById, previewEvents } from './store.ts';

const PREVIEW_DAYS = 7;
const MAX_PREVIEWED_EVENTS = 50;

/** Adds the preview as a route rather than an operation, because it logs failures with the request id. */
export function deliveryPreviewRoute(app: App, db: Db, settings: RenderSettings): void {
  for (const schema of [RenderedDelivery, PreviewedEvents]) app.addSchema(schema);

  app.post(
    '/api/admin/addons/:id/preview',
    {
      config: { permission: ['ADMIN'] },
      schema: {
        operationId: 'previewAddon',
        tags: ['Integrations'],
        summary: 'Preview the events of an integration',
        description:
          "Returns the recent events that match the integration's filters, and the request that would deliver one of them, with secrets masked. Nothing is sent. Requires ADMIN.",
        params,
        body: PreviewRequest,
        response: {
          200: jsonResponse('The events', PreviewedEvents),
          ...errorResponses(400, 401, 403, 404, 413, 415),
        },
      },
    },
    async request => {
      const id = Number(request.params.id);
      if (!(await integrationExists(db, id))) throw notFound(`Integration ${id}`);
      const days = request.body.days ?? PREVIEW_DAYS;
      const since = new Date(Date.now() - days * 86_400_000).toISOString();
      const { total, events } = await previewEvents(db, id, since, MAX_PREVIEWED_EVENTS);
      const { eventId } = request.body;
      const [event] = eventId === undefined ? events : await listEventsById(db, [eventId]);
      if (eventId !== undefined && !event) throw notFound(`Event ${eventId}`);
      const report = (error: unknown) => request.log.error({ err: error }, 'delivery preview failed');
      return {
        total,
        events: events.map(presentForAdmin),
        rendered: event ? await renderDelivery(db, settings, id, event, report) : null,
      };
    },
  );
}
