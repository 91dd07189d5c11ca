import { queryOptions } from '@tanstack/react-query';
import { api, unwrap } from '../api/client.ts';

export const methodsQuery = queryOptions({
  queryKey: ['login-methods'],
  queryFn: ({ signal }) => unwrap(api.GET('/auth/methods', { signal })),
});

export const logIn = (username: string, password: string) =>
  unwrap(api.POST('/auth/simple/login', { body: { username, password } }));
