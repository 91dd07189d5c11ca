import { State } from '../ui/State.tsx';
import type { Flag } from './queries.ts';
import { getState, STATES } from './states.ts';

export const STAGES = {
  initial: 'Initial',
  'pre-live': 'Pre-live',
  live: 'Live',
  completed: 'Completed',
  archived: 'Archived',
};

/** Shows whether a flag is archived or stale, or otherwise its lifecycle stage. */
export function FlagState({ flag }: { flag: Pick<Flag, 'stale' | 'archivedAt' | 'lifecycle'> }) {
  if (flag.archivedAt) return <State tone="off">Archived</State>;
  if (flag.stale) return <State tone="warn">Stale</State>;
  return <FlagStage stage={flag.lifecycle.stage} />;
}

/** Shows the lifecycle stage in the same words as the `stage:` filter. */
export const FlagStage = ({ stage }: { stage: Flag['lifecycle']['stage'] }) => (
  <State tone={stage === 'live' ? 'on' : 'off'}>{STAGES[stage]}</State>
);

/** Shows the state of a flag in a list, in the same words as the `state:` and `archived:` filters. */
export function ListedState({ flag, lifetimeDays }: { flag: Flag; lifetimeDays: number | null | undefined }) {
  const state = getState(flag, lifetimeDays);
  if (state === 'active') return <span className="muted">{STATES[state]}</span>;
  return <State tone={state === 'archived' ? 'off' : 'warn'}>{STATES[state]}</State>;
}
