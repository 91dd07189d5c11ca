import { queryOptions } from '@tanstack/react-query';
import { api, type Schemas, sendRead, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';

/** A client's request, which is in the URL that the client opened or is identified by the code that it shows. */
export type RequestedAuthorization = Schemas['AskedAuthorization'];
export type Preview = Schemas['AuthorizationPreview'];

const PREVIEW = '/api/admin/user/authorizations/preview';

export const previewQuery = (requested: RequestedAuthorization) =>
  queryOptions({
    queryKey: [...keys.personalTokens, 'asked', requested],
    queryFn: ({ signal }) => unwrap(api.POST(PREVIEW, { body: requested, signal, fetch: sendRead })),
    retry: false,
    // Never refreshed, because after the decision the server no longer has the request.
    enabled: query => query.state.data === undefined,
  });

export const decide = (body: Schemas['AuthorizationDecision']) =>
  unwrap(api.POST('/api/admin/user/authorizations', { body }));
