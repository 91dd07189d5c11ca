import { NamedObject, Nullable, Ref, SharedObject, Timestamp } from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';

export const LoginRequest = NamedObject(
  'LoginRequest',
  {
    username: Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Username or email address, case-insensitive',
      examples: ['alice'],
    }),
    password: Type.String({ description: "The user's password", minLength: 1, maxLength: 1_000 }),
  },
  { examples: [{ username: 'alice', password: 'correct horse battery staple' }] },
);
export type LoginRequest = Static<typeof LoginRequest>;

export const Session = SharedObject('Session', 'A session', {
  id: Type.Integer({ description: 'Id of the session', examples: [31] }),
  method: Type.String({ description: 'How the user logged in', examples: ['password'] }),
  ip: Nullable.String({ description: 'IP address of the login', examples: ['192.0.2.7'] }),
  userAgent: Nullable.String({ description: 'User-Agent header of the login' }),
  createdAt: Timestamp('When the user logged in'),
  seenAt: Timestamp('When the session was last used, to the minute'),
  expiresAt: Timestamp('When the session ends, even if it is in use'),
  current: Type.Boolean({ description: 'true for the session of this request' }),
});
export type Session = Static<typeof Session>;

export const SessionList = SharedObject('SessionList', { sessions: Type.Array(Ref(Session)) });
