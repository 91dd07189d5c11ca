import { State } from '../ui/State.tsx';
import type { Flag } from './queries.ts';

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
  const { stage } = flag.lifecycle;
  return <State tone={stage === 'live' ? 'on' : 'off'}>{STAGES[stage]}</State>;
}
