import type { App } from '@halyard/plane/platform/http/app.ts';

const isManifestUrl = (url: string | undefined): boolean => url?.includes('/openfeature/v0/') === true;

type ErrorBody = { message: string; details: { message: string; path?: string }[] };

/** Adds what the OpenFeature CLI expects in addition to the response bodies: a capabilities header, and errors in its own format. */
export function installManifestFormat(app: App): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (!isManifestUrl(request.routeOptions.url)) return payload;
    if (request.method === 'GET') reply.header('x-manifest-capabilities', 'read,write,delete');
    if (reply.statusCode < 400 || typeof payload !== 'string') return payload;
    const body = JSON.parse(payload) as ErrorBody;
    const details = body.details.map(({ message, path = '' }) => ({
      field: path.replace(/^\/body\//, ''),
      code: 'invalid',
      message,
    }));
    return JSON.stringify({ ...body, error: { message: body.message, status: reply.statusCode, details } });
  });
}
