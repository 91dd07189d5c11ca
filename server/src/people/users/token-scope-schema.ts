import { Named, Optional } from '@halyard/plane/platform/http/schema.ts';
import { Type } from 'typebox';
import { SCOPE_PERMISSIONS } from '../../access/scope.ts';
import type { TokenScope } from '../../platform/actor.ts';

const nameList = (description: string, maxItems: number, example: string) =>
  Optional.Array(Type.String({ minLength: 1, maxLength: 100 }), {
    description,
    minItems: 1,
    maxItems,
    uniqueItems: true,
    examples: [[example]],
  });

export const TokenScopeSchema = Named(
  'TokenScope',
  Type.Unsafe<TokenScope>(
    Type.Object(
      {
        projects: nameList(
          'The token can read and change only these projects. For operations that do not belong to a project, list the permission in permissions. Absent: all projects of the owner',
          100,
          'payments',
        ),
        environments: nameList(
          'The token can change only these environments. For operations that affect every environment, such as archiving a flag, list the permission in permissions. Absent: all environments',
          50,
          'development',
        ),
        permissions: Optional.Array(Type.String({ title: 'ScopePermission', enum: [...SCOPE_PERMISSIONS] }), {
          description:
            'Only these permissions of the owner apply. Absent: all of them, except ADMIN and those that create credentials, grant access or connect other systems',
          minItems: 1,
          maxItems: SCOPE_PERMISSIONS.length,
          uniqueItems: true,
          examples: [['UPDATE_FEATURE_ENVIRONMENT']],
        }),
        readOnly: Optional.Boolean({
          description: 'true: the token cannot change anything',
          examples: [false],
        }),
        maxChanges: Optional.Integer({
          description: 'How many changes the token can make in total. Each event counts as one change',
          minimum: 1,
          maximum: 1_000_000,
          examples: [20],
        }),
        maxProductionRollout: Optional.Integer({
          description:
            'The maximum percentage to which the token can roll out a flag in environments of type production. A strategy without a percentage counts as 100',
          minimum: 0,
          maximum: 100,
          examples: [10],
        }),
      },
      {
        description: "The subset of its owner's permissions that a token has",
        additionalProperties: false,
        examples: [{ projects: ['payments'], environments: ['development'], maxChanges: 20 }],
      },
    ),
  ),
);
