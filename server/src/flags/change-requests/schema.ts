import { NamedObject, Nullable, SharedObject } from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';

export const ChangeRequestConfig = SharedObject('ChangeRequestConfig', {
  environment: Type.String({ description: 'Name of the environment', examples: ['production'] }),
  type: Type.String({ description: 'Type of the environment', examples: ['production'] }),
  changeRequestEnabled: Type.Boolean({
    description: 'Always false: Halyard does not support change requests yet',
  }),
  requiredApprovals: Nullable.Integer({ description: 'Number of approvals a change requires; null: none' }),
});
export type ChangeRequestConfig = Static<typeof ChangeRequestConfig>;

export const ChangeRequestConfigInput = NamedObject(
  'ChangeRequestConfigInput',
  {
    changeRequestsEnabled: Type.Boolean({ description: 'Must be false; true is rejected' }),
    requiredApprovals: Type.Optional(
      Nullable.Integer({
        minimum: 0,
        maximum: 100,
        description: 'Ignored and not stored while change requests are disabled',
        examples: [0],
      }),
    ),
  },
  { examples: [{ changeRequestsEnabled: false }] },
);
export type ChangeRequestConfigInput = Static<typeof ChangeRequestConfigInput>;
