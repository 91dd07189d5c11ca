import { NamedObject, Nullable, Optional, SharedObject } from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../../platform/secrets/password-strength.ts';

// The maximum is far above the limit of the strength rule, so that the rule can report all violations.
const MAX_INPUT_LENGTH = 1_000;

export const password = Type.String({
  maxLength: MAX_INPUT_LENGTH,
  description: `${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters. Easily guessed passwords are rejected`,
});

const EXAMPLE = 'correct horse battery staple';

export const PasswordToCheck = NamedObject(
  'PasswordToCheck',
  { password },
  { examples: [{ password: EXAMPLE }] },
);

export const NewPassword = NamedObject(
  'NewPassword',
  {
    password,
    confirmPassword: Optional.String({
      maxLength: MAX_INPUT_LENGTH,
      description: 'If given, must equal password',
    }),
  },
  { examples: [{ password: EXAMPLE }] },
);
export type NewPassword = Static<typeof NewPassword>;

export const OwnNewPassword = NamedObject(
  'OwnNewPassword',
  {
    ...NewPassword.properties,
    oldPassword: Type.String({ maxLength: MAX_INPUT_LENGTH, description: 'The current password' }),
  },
  { examples: [{ oldPassword: 'the current password', password: EXAMPLE }] },
);
export type OwnNewPassword = Static<typeof OwnNewPassword>;

export const linkToken = Type.String({
  maxLength: 200,
  description: 'The token in the link',
  examples: ['hyl_3tA9…'],
});

export const PasswordByLink = NamedObject(
  'PasswordByLink',
  { token: linkToken, password },
  { examples: [{ token: `hyl_${'0'.repeat(43)}1LYFcu`, password: EXAMPLE }] },
);

export const PasswordLink = SharedObject('PasswordLink', {
  id: Type.Integer({ description: 'Id of the user', examples: [7] }),
  name: Nullable.String({ description: "The user's display name", examples: ['Alice Moreau'] }),
  username: Nullable.String({ description: 'The name that the user logs in with', examples: ['alice'] }),
  email: Nullable.String({ description: 'Email address of the user', examples: ['alice@example.com'] }),
  createdBy: Type.String({ description: 'User who created the link', examples: ['ada'] }),
  role: Nullable(
    NamedObject('PasswordLinkRole', 'The root role of the user', {
      id: Type.Integer({ description: 'Role id; 1 to 6 are the built-in roles', examples: [3] }),
      name: Type.String({ description: 'Name of the role', examples: ['Viewer'] }),
      type: Type.String({
        description: '`root` and `root-custom` apply on the instance, `project` and `custom` in projects',
        examples: ['root'],
      }),
      description: Type.String({ description: 'What the role is for' }),
    }),
  ),
});
export type PasswordLink = Static<typeof PasswordLink>;

export const PasswordMail = NamedObject(
  'PasswordMailRequest',
  {
    email: Type.String({
      description: 'Email address of the user',
      minLength: 1,
      maxLength: 254,
      examples: ['alice@example.com'],
    }),
  },
  { examples: [{ email: 'alice@example.com' }] },
);

export const ResetLink = SharedObject('ResetLink', {
  resetPasswordUrl: Type.String({
    description:
      'Page where the user sets a new password. The link can be used once, within a day. Only this response contains it',
    examples: ['https://flags.example.com/reset-password?token=hyl_3tA9…'],
  }),
});
