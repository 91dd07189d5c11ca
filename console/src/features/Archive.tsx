import { useQuery } from '@tanstack/react-query';
import { keys } from '../api/keys.ts';
import { Confirm } from '../ui/Confirm.tsx';
import { FormErrors } from '../ui/Failure.tsx';
import { toast } from '../ui/toasts.ts';
import { useReasons } from '../ui/useReasons.ts';
import { archiveFeature, checkArchive, type Feature } from './queries.ts';

/** Asks for confirmation before the flag is archived. A flag with children cannot be archived. */
export function Archive({ feature, onClose }: { feature: Feature; onClose(): void }) {
  const place = { projectId: feature.project, featureName: feature.name };
  const check = useQuery({
    queryKey: [...keys.feature(place), 'archive-check'],
    queryFn: () => checkArchive(place),
    gcTime: 0,
  });
  const reasons = useReasons(feature.project);
  const isParent = (check.data?.parentsWithChildFeatures.length ?? 0) > 0;
  const enabledIn = feature.environments.filter(one => one.enabled).map(one => one.name);
  return (
    <Confirm
      opened
      title={`Archive ${feature.name}?`}
      action="Archive flag"
      danger
      disabled={!check.data || isParent}
      reasons={reasons}
      onConfirm={async reason => {
        await archiveFeature(place, reason);
        toast({ about: feature.name, message: `Archived ${feature.name}.` });
      }}
      onClose={onClose}
    >
      {isParent ? (
        <FormErrors
          messages={[
            `Flags depend on ${feature.name}: ${feature.children.join(', ')}. Remove these dependencies first.`,
          ]}
        />
      ) : (
        <p>
          SDKs no longer get the flag, so applications use their default value.{' '}
          {enabledIn.length > 0 ? `It is enabled in ${enabledIn.join(', ')}.` : 'It is disabled everywhere.'}{' '}
          You can revive it later. It is then disabled in every environment.
        </p>
      )}
    </Confirm>
  );
}
