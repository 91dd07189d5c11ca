import { queryOptions } from '@tanstack/react-query';
import type { Schemas } from '../api/client.ts';
import { api, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';

export const methodsQuery = queryOptions({
  queryKey: keys.loginMethods,
  queryFn: ({ signal }) => unwrap(api.GET('/auth/methods', { signal })),
});

export const logIn = (username: string, password: string) =>
  unwrap(api.POST('/auth/simple/login', { body: { username, password } }));

/** The user whose password a link sets. The server returns 401 if the link is unknown, used or expired. */
export const passwordLinkQuery = (token: string) =>
  queryOptions({
    queryKey: keys.passwordLink(token),
    queryFn: ({ signal }) =>
      unwrap(api.GET('/auth/reset/validate', { params: { query: { token } }, signal })),
  });

export const setPassword = (token: string, password: string) =>
  unwrap(api.POST('/auth/reset/password', { body: { token, password } }));

export const checkPassword = (password: string) =>
  unwrap(api.POST('/auth/reset/validate-password', { body: { password } }));

export const signupLinkQuery = (token: string) =>
  queryOptions({
    queryKey: keys.signupLink(token),
    queryFn: async ({ signal }) => {
      await unwrap(api.GET('/invite/{token}/validate', { params: { path: { token } }, signal }));
      return true;
    },
  });

export const signUp = (token: string, body: Schemas['NewMember']) =>
  unwrap(api.POST('/invite/{token}/signup', { params: { path: { token } }, body }));
