import {
  DisplayName,
  NamedObject,
  Nullable,
  Optional,
  Ref,
  SharedObject,
  Timestamp,
} from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';
import { Person } from '../users/admin-schema.ts';
import { HeldRole } from '../users/schema.ts';

const name = DisplayName({
  description: 'Name of the signup link',
  maxLength: 255,
  examples: ['Summer interns'],
});
const expiresAt = Type.String({
  format: 'date-time',
  maxLength: 40,
  description: 'When the link expires. In the future and within a year',
  examples: ['2026-12-15T00:00:00.000Z'],
});

export const SignupToken = SharedObject('SignupToken', 'A signup link', {
  id: Type.Integer({ description: 'Id of the signup link', examples: [2] }),
  name,
  secret: Type.String({
    description: 'The whole token in the response that creates it. After that, only its last characters',
    examples: ['…k3Xz'],
  }),
  url: Nullable.String({
    description: 'Page where people sign up. Only in the response that creates the link',
    examples: ['https://flags.example.com/new-user?token=hyi_3tA9…&invite=true'],
  }),
  enabled: Type.Boolean({ description: 'Whether the signup link is enabled' }),
  expiresAt: Timestamp('When the link expires'),
  createdAt: Timestamp('When the link was created'),
  createdBy: Type.String({ description: 'User who created the link', examples: ['ada'] }),
  users: Type.Array(Ref(Person), { description: 'Users who signed up with the link' }),
  role: Ref(HeldRole),
});
export type SignupToken = Static<typeof SignupToken>;

export const SignupTokenList = SharedObject('SignupTokenList', { tokens: Type.Array(Ref(SignupToken)) });

export const NewSignupToken = NamedObject(
  'NewSignupToken',
  { name, expiresAt },
  { examples: [{ name: 'Summer interns', expiresAt: '2026-12-15T00:00:00.000Z' }] },
);
export type NewSignupToken = Static<typeof NewSignupToken>;

export const SignupTokenUpdate = NamedObject(
  'SignupTokenUpdate',
  {
    expiresAt: Type.Optional(expiresAt),
    enabled: Optional.Boolean({ description: 'Whether the signup link is enabled' }),
  },
  { examples: [{ enabled: false }] },
);
export type SignupTokenUpdate = Static<typeof SignupTokenUpdate>;
