import { type Static, Type } from 'typebox';
import { Named, NamedObject, Nullable, Ref, Timestamp } from '../../platform/http/schema.ts';
import { Person } from '../users/admin-schema.ts';
import { HeldRole } from '../users/schema.ts';

const name = Type.String({ minLength: 1, maxLength: 255, examples: ['Summer interns'] });
const expiresAt = Type.String({
  format: 'date-time',
  maxLength: 40,
  description: 'When the link stops working: in the future, and within a year',
  examples: ['2026-12-15T00:00:00.000Z'],
});

export const SignupToken = Named(
  'SignupToken',
  Type.Object({
    id: Type.Integer({ examples: [2] }),
    name,
    secret: Type.String({
      description: 'The token itself when it is created; later only what is needed to recognise it',
      examples: ['…k3Xz'],
    }),
    url: Nullable(
      Type.String({
        description: 'Where people join; only in the answer that creates the token',
        examples: ['https://flags.example.com/new-user?token=hyi_3tA9…&invite=true'],
      }),
    ),
    enabled: Type.Boolean(),
    expiresAt: Timestamp('When the link stops working'),
    createdAt: Timestamp('When the token was created'),
    createdBy: Type.String({ description: 'Who made it', examples: ['ada'] }),
    users: Type.Array(Ref(Person), { description: 'Who has joined by it' }),
    role: Ref(HeldRole),
  }),
);
export type SignupToken = Static<typeof SignupToken>;

export const SignupTokenList = Named(
  'SignupTokenList',
  Type.Object({ tokens: Type.Array(Ref(SignupToken)) }),
);

export const NewSignupToken = NamedObject(
  'NewSignupToken',
  { name, expiresAt },
  { examples: [{ name: 'Summer interns', expiresAt: '2026-12-15T00:00:00.000Z' }] },
);
export type NewSignupToken = Static<typeof NewSignupToken>;

export const SignupTokenUpdate = NamedObject(
  'SignupTokenUpdate',
  { expiresAt: Type.Optional(expiresAt), enabled: Type.Optional(Type.Boolean()) },
  { examples: [{ enabled: false }] },
);
export type SignupTokenUpdate = Static<typeof SignupTokenUpdate>;
