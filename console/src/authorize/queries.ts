import { queryOptions } from '@tanstack/react-query';
import { api, type Schemas, sendRead, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';

/** A client's request: the query of the URL that the client opened, or the code that the client shows. */
export type RequestedAuthorization = Schemas['AuthorizationPreviewRequest'];
export type Preview = Schemas['AuthorizationPreview'];

const PREVIEW = '/api/admin/user/authorizations/preview';

export const previewQuery = (request: RequestedAuthorization) =>
  queryOptions({
    queryKey: [...keys.personalTokens, 'preview', request],
    queryFn: ({ signal }) => unwrap(api.POST(PREVIEW, { body: request, signal, fetch: sendRead })),
    retry: false,
    // Never refetched, because the server discards the request after the decision.
    enabled: query => query.state.data === undefined,
  });

export const decide = (body: Schemas['AuthorizationDecision']) =>
  unwrap(api.POST('/api/admin/user/authorizations', { body }));
