import { Type } from 'typebox';

export const LoginQuery = Type.Object({
  redirect: Type.Optional(
    Type.String({
      maxLength: 2_000,
      description: 'Path of this server to open after the login',
      examples: ['/projects/default'],
    }),
  ),
});

export const CallbackQuery = Type.Object({
  code: Type.Optional(Type.String({ maxLength: 8_000, description: 'Authorization code of the provider' })),
  state: Type.Optional(Type.String({ maxLength: 200, description: 'State of the attempt' })),
  error: Type.Optional(Type.String({ maxLength: 200, description: 'Error code of the provider' })),
  iss: Type.Optional(Type.String({ maxLength: 1_000, description: 'Issuer of the response' })),
});
