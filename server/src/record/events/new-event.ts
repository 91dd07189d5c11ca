import type { EmittedEventType } from './event-types.ts';

/** An event as an operation records it. */
export type NewEvent = {
  type: EmittedEventType;
  project?: string | null;
  environment?: string | null;
  featureName?: string | null;
  data?: object | null;
  preData?: object | null;
  tags?: { type: string; value: string }[];
};
