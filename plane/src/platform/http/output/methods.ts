import type { onRouteHookHandler } from 'fastify';
import { ApiError, either } from '../../errors.ts';

/** The part of a Fastify application that is needed to collect its routes, independent of its type parameters. */
type Routed = { addHook(name: 'onRoute', hook: onRouteHookHandler): unknown };

/** The methods of the routes that match a path. */
export function collectMethods(app: Routed): (path: string) => string[] {
  const routes: { pattern: RegExp; methods: string[] }[] = [];
  app.addHook('onRoute', ({ url, method }) => {
    if (url.includes('*')) return;
    const pattern = url.replace(/[.$()]/g, '\\$&').replace(/:\w+/g, '[^/]+');
    const methods = [method].flat().filter(name => name !== 'HEAD' && name !== 'OPTIONS');
    routes.push({ pattern: new RegExp(`^${pattern}/?$`), methods });
  });
  return path => [
    ...new Set(routes.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods)),
  ];
}

export const wrongMethod = (what: string, methods: readonly string[]): ApiError =>
  new ApiError('NotFoundError', `${what} does not exist. This path accepts ${either(methods)}.`);
