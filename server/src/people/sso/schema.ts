import { Type } from 'typebox';

export const LoginQuery = Type.Object({
  redirect: Type.Optional(
    Type.String({
      maxLength: 2_000,
      description: 'Where to go afterwards: a path of this server',
      examples: ['/projects/default'],
    }),
  ),
});

export const CallbackQuery = Type.Object({
  code: Type.Optional(
    Type.String({ maxLength: 8_000, description: 'What the provider gives for the tokens' }),
  ),
  state: Type.Optional(Type.String({ maxLength: 200, description: 'What the attempt was begun with' })),
  error: Type.Optional(Type.String({ maxLength: 200, description: 'Why the provider says no' })),
  iss: Type.Optional(Type.String({ maxLength: 1_000, description: 'Who the provider says it is' })),
});
