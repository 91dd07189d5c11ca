import {
  Named,
  NamedObject,
  Nullable,
  Ref,
  SharedObject,
  Timestamp,
} from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';

export const STAGES = ['initial', 'pre-live', 'live', 'completed', 'archived'] as const;
export type Stage = (typeof STAGES)[number];

const status = Type.Unsafe<'kept' | 'discarded'>({
  type: 'string',
  enum: ['kept', 'discarded'],
  description: 'Outcome of a completed feature',
});
const statusValue = Type.String({
  maxLength: 500,
  description: 'Details of the outcome, such as the kept variant',
  examples: ['blue'],
});

export const Lifecycle = SharedObject('Lifecycle', 'The current stage of the feature', {
  stage: Type.Unsafe<Stage>({
    title: 'LifecycleStage',
    type: 'string',
    description: 'A stage in the life of a feature',
    enum: STAGES,
    examples: ['live'],
  }),
  enteredStageAt: Timestamp('When the feature entered this stage'),
  status: Type.Optional(status),
  statusValue: Type.Optional(statusValue),
});
export type Lifecycle = Static<typeof Lifecycle>;

export const LifecycleHistory = Named(
  'LifecycleHistory',
  Type.Array(Ref(Lifecycle), { description: 'Every stage the feature has reached, oldest first' }),
);

export const Completion = NamedObject(
  'FeatureCompletion',
  { status, statusValue: Type.Optional(Nullable(statusValue)) },
  { examples: [{ status: 'kept', statusValue: 'blue' }] },
);
export type Completion = Static<typeof Completion>;

const count = Type.Integer({ description: 'Number of features at this stage', examples: [7] });
export const LifecycleCount = SharedObject('LifecycleCount', {
  initial: count,
  preLive: count,
  live: count,
  completed: count,
  archived: count,
});
