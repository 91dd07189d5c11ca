import type { FastifyRequest } from 'fastify';

/** Browsers accept this type when they open a page. Programs that call the API do not. */
export const acceptsPages = ({ headers }: FastifyRequest): boolean =>
  /\btext\/html\b/i.test(headers.accept ?? '');
