import { type Static, Type } from 'typebox';
import { Named, NamedObject, Nullable, Ref, Timestamp } from '../../platform/http/schema.ts';

export const LoginRequest = NamedObject(
  'LoginRequest',
  {
    username: Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Username or e-mail address, in upper or lower case',
      examples: ['alice'],
    }),
    password: Type.String({ minLength: 1, maxLength: 1_000 }),
  },
  { examples: [{ username: 'alice', password: 'correct horse battery staple' }] },
);
export type LoginRequest = Static<typeof LoginRequest>;

export const Session = Named(
  'Session',
  Type.Object({
    id: Type.Integer({ examples: [31] }),
    method: Type.String({ description: 'How the user logged in', examples: ['password'] }),
    ip: Nullable(Type.String({ description: 'Address it began at', examples: ['192.0.2.7'] })),
    userAgent: Nullable(Type.String({ description: 'Browser it began in, as the browser names itself' })),
    createdAt: Timestamp('When the user logged in'),
    seenAt: Timestamp('When it was last used, to the minute'),
    expiresAt: Timestamp('When it ends at the latest'),
    current: Type.Boolean({ description: 'true for the session of this request' }),
  }),
);
export type Session = Static<typeof Session>;

export const SessionList = Named('SessionList', Type.Object({ sessions: Type.Array(Ref(Session)) }));
