import { NamedObject, SharedObject, Timestamp } from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';

export const Snooze = SharedObject('HealthSnooze', {
  reason: Type.String({
    description: 'Why the finding is snoozed',
    examples: ['The campaign runs until spring'],
  }),
  until: Timestamp('When the finding is listed again'),
  createdAt: Timestamp('When the finding was snoozed'),
  createdBy: Type.String({ description: 'Name of the user who snoozed the finding', examples: ['alice'] }),
});
export type Snooze = Static<typeof Snooze>;

export const NewSnooze = NamedObject(
  'NewHealthSnooze',
  {
    reason: Type.String({
      description: 'Why the finding is snoozed',
      minLength: 1,
      maxLength: 1_000,
      examples: ['The campaign runs until spring'],
    }),
    until: Type.String({ format: 'date-time', maxLength: 40, description: 'At most 366 days from now' }),
  },
  {
    additionalProperties: false,
    examples: [{ reason: 'The campaign runs until spring', until: '2027-03-01T00:00:00.000Z' }],
  },
);
export type NewSnooze = Static<typeof NewSnooze>;
