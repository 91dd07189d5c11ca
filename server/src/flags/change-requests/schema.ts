import { type Static, Type } from 'typebox';
import { Named, NamedObject, Nullable } from '../../platform/http/schema.ts';

export const ChangeRequestConfig = Named(
  'ChangeRequestConfig',
  Type.Object({
    environment: Type.String({ examples: ['production'] }),
    type: Type.String({ description: 'Type of the environment', examples: ['production'] }),
    changeRequestEnabled: Type.Boolean({ description: 'Always false: there are no change requests yet' }),
    requiredApprovals: Nullable(
      Type.Integer({ description: 'Approvals that a change needs; null: changes need none' }),
    ),
  }),
);
export type ChangeRequestConfig = Static<typeof ChangeRequestConfig>;

export const ChangeRequestConfigInput = NamedObject(
  'ChangeRequestConfigInput',
  {
    changeRequestsEnabled: Type.Boolean({ description: 'false; true is refused' }),
    requiredApprovals: Type.Optional(
      Nullable(
        Type.Integer({
          minimum: 0,
          maximum: 100,
          description: 'Says nothing while change requests are off, and is not kept',
          examples: [0],
        }),
      ),
    ),
  },
  { examples: [{ changeRequestsEnabled: false }] },
);
export type ChangeRequestConfigInput = Static<typeof ChangeRequestConfigInput>;
