import { type Static, Type } from 'typebox';
import { Named, Timestamp } from '../http/schema.ts';

export const STAGES = ['initial', 'pre-live', 'live', 'completed', 'archived'] as const;
export type Stage = (typeof STAGES)[number];

export const Lifecycle = Named(
  'Lifecycle',
  Type.Object({
    stage: Type.Unsafe<Stage>({ type: 'string', enum: STAGES, examples: ['live'] }),
    enteredStageAt: Timestamp('When the feature came to this stage'),
    status: Type.Optional(
      Type.Unsafe<'kept' | 'discarded'>({
        type: 'string',
        enum: ['kept', 'discarded'],
        description: 'What became of a completed feature',
      }),
    ),
  }),
);
export type Lifecycle = Static<typeof Lifecycle>;
