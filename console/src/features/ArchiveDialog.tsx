import { useQuery } from '@tanstack/react-query';
import { keys } from '../api/keys.ts';
import { Confirm } from '../ui/Confirm.tsx';
import { FormErrors } from '../ui/Failure.tsx';
import { toast } from '../ui/toasts.ts';
import { useReasonRule } from '../ui/useReasonRule.ts';
import { archiveFeature, checkArchive, type Feature } from './queries.ts';

/** Asks for confirmation before the flag is archived. A flag with children cannot be archived. */
export function ArchiveDialog({ feature, onClose }: { feature: Feature; onClose(): void }) {
  const path = { projectId: feature.project, featureName: feature.name };
  const check = useQuery({
    queryKey: [...keys.feature(path), 'archive-check'],
    queryFn: () => checkArchive(path),
    gcTime: 0,
  });
  const reasonRule = useReasonRule(feature.project);
  const isParent = (check.data?.parentsWithChildFeatures.length ?? 0) > 0;
  const enabledEnvironments = feature.environments
    .filter(environment => environment.enabled)
    .map(environment => environment.name);
  return (
    <Confirm
      opened
      title={`Archive ${feature.name}?`}
      action="Archive flag"
      danger
      disabled={!check.data || isParent}
      reasonRule={reasonRule}
      onConfirm={async reason => {
        await archiveFeature(path, reason);
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
          SDKs no longer receive the flag, so applications use their default value.{' '}
          {enabledEnvironments.length > 0
            ? `It is enabled in ${enabledEnvironments.join(', ')}.`
            : 'It is disabled everywhere.'}{' '}
          You can revive it later. A revived flag is disabled in every environment.
        </p>
      )}
    </Confirm>
  );
}
