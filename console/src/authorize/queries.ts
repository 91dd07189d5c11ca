import { queryOptions } from '@tanstack/react-query';
import { api, type Schemas, sendRead, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';

/** What a program asks: in the URL that it opened, or by a code that it shows. */
export type Asked = Schemas['AskedAuthorization'];
export type Preview = Schemas['AuthorizationPreview'];

const PREVIEW = '/api/admin/user/authorizations/preview';

export const previewQuery = (asked: Asked) =>
  queryOptions({
    queryKey: [...keys.personalTokens, 'asked', asked],
    queryFn: ({ signal }) => unwrap(api.POST(PREVIEW, { body: asked, signal, fetch: sendRead })),
    retry: false,
    // Never again: after the decision there is nothing to ask about.
    enabled: query => query.state.data === undefined,
  });

export const decide = (body: Schemas['AuthorizationDecision']) =>
  unwrap(api.POST('/api/admin/user/authorizations', { body }));
