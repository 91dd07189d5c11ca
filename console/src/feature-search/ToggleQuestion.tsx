import { useQuery } from '@tanstack/react-query';
import { featureQuery, segmentsQuery } from '../features/queries.ts';
import { audienceText } from '../features/words.ts';
import { Confirm } from '../ui/Confirm.tsx';
import { useReasons } from '../ui/useReasons.ts';
import type { Flag } from './queries.ts';

/** A toggle of a flag in an environment. */
export type Toggling = { flag: Flag; environment: string; enabled: boolean };

/** Asks for confirmation before a toggle in production. The audience is the one on the flag page. */
export function ToggleQuestion({
  toggling: { flag, environment, enabled },
  onConfirm,
  onClose,
}: {
  toggling: Toggling;
  onConfirm(reason: string): Promise<void>;
  onClose(): void;
}) {
  const verb = enabled ? 'Enable' : 'Disable';
  const place = { projectId: flag.project, featureName: flag.name };
  const { data: feature } = useQuery(featureQuery(place));
  const { data: segments } = useQuery(segmentsQuery);
  const strategies = feature?.environments.find(one => one.name === environment)?.strategies;
  const segmentNames = new Map(segments?.segments.map(({ id, name }) => [id, name]));
  return (
    <Confirm
      opened
      title={`${verb} ${flag.name} in ${environment}?`}
      action={`${verb} in ${environment}`}
      danger={!enabled}
      careful
      reasons={useReasons(flag.project)}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      {strategies && segments && (
        <p>
          {verb} in {environment} for {audienceText(strategies, segmentNames)}?
        </p>
      )}
      <p>SDKs receive the change within seconds.</p>
    </Confirm>
  );
}
