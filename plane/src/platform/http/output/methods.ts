import type { onRouteHookHandler } from 'fastify';
import { ApiError, joinWithOr } from '../../errors.ts';

/** The part of a Fastify application that is needed to collect its routes, independent of its type parameters. */
type RoutedApp = { addHook(name: 'onRoute', hook: onRouteHookHandler): unknown };

/** Collects the routes of an application. Returns a function that lists the methods of the routes matching a path. */
export function collectMethods(app: RoutedApp): (path: string) => string[] {
  const routes: { pattern: RegExp; methods: string[] }[] = [];
  app.addHook('onRoute', ({ url, method }) => {
    const pattern = url
      .replace(/[.$()]/g, '\\$&')
      .replaceAll('*', '.*')
      .replace(/:\w+/g, '[^/]+');
    const methods = [method].flat().filter(name => name !== 'HEAD' && name !== 'OPTIONS');
    routes.push({ pattern: new RegExp(`^${pattern}/?$`), methods });
  });
  return path => [
    ...new Set(routes.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods)),
  ];
}

export const wrongMethod = (operation: string, methods: readonly string[]): ApiError =>
  new ApiError('NotFoundError', `${operation} does not exist. This path accepts ${joinWithOr(methods)}.`);
