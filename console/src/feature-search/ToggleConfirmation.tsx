import { useQuery } from '@tanstack/react-query';
import { featureQuery, segmentsQuery } from '../features/queries.ts';
import { describeEnvironmentAudience } from '../features/words.ts';
import { Confirm } from '../ui/Confirm.tsx';
import { useReasonRule } from '../ui/useReasonRule.ts';
import type { Flag } from './queries.ts';

/** A toggle that is waiting for the user's confirmation. */
export type PendingToggle = { flag: Flag; environment: string; enabled: boolean };

/** Asks for confirmation before a toggle in production, describing the same audience as the flag page. */
export function ToggleConfirmation({
  pendingToggle: { flag, environment, enabled },
  onConfirm,
  onClose,
}: {
  pendingToggle: PendingToggle;
  onConfirm(reason: string): Promise<void>;
  onClose(): void;
}) {
  const verb = enabled ? 'Enable' : 'Disable';
  const path = { projectId: flag.project, featureName: flag.name };
  const { data: feature } = useQuery(featureQuery(path));
  const { data: segments } = useQuery(segmentsQuery);
  const strategies = feature?.environments.find(({ name }) => name === environment)?.strategies;
  const segmentNames = new Map(segments?.segments.map(({ id, name }) => [id, name]));
  return (
    <Confirm
      opened
      title={`${verb} ${flag.name} in ${environment}?`}
      action={`${verb} in ${environment}`}
      danger={!enabled}
      focusesCancel
      reasonRule={useReasonRule(flag.project)}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      {strategies && segments && (
        <p>
          {verb} in {environment} for {describeEnvironmentAudience(strategies, segmentNames)}?
        </p>
      )}
      <p>SDKs receive the change within seconds.</p>
    </Confirm>
  );
}
