import { useQuery, useQueryClient } from '@tanstack/react-query';
import { messagesWithoutField } from '../api/errors.ts';
import { keys } from '../api/keys.ts';
import { environmentsQuery } from '../shell/queries.ts';
import { Confirm } from '../ui/Confirm.tsx';
import { FormErrors } from '../ui/Failure.tsx';
import { FieldDiff } from '../ui/FieldDiff.tsx';
import { Sentence } from '../ui/Sentence.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { toast } from '../ui/toasts.ts';
import { useReasonRule } from '../ui/useReasonRule.ts';
import { formatCount } from '../ui/words.ts';
import { describeEventChanges } from './describe-changes.ts';
import { groupQuery } from './queries.ts';
import { planRevert } from './revert.ts';
import { addRevertedEvent } from './revert-reason.ts';
import type { RevertibleEvent } from './revertible.ts';
import { useSegmentNames } from './useSegmentNames.ts';

/** Shows what reverting the event would change in the current state, and reverts it. */
export function Revert({ event, onClose }: { event: RevertibleEvent; onClose(): void }) {
  const client = useQueryClient();
  const { data: plan, error } = useQuery({
    queryKey: [...keys.event(String(event.id)), 'revert'],
    queryFn: () => planRevert(client, event),
    gcTime: 0,
    retry: false,
  });
  const reasonRule = useReasonRule(event.project ?? '');
  const otherEvents = (useQuery(groupQuery(event.groupId)).data?.total ?? 1) - 1;
  const environment = useQuery(environmentsQuery).data?.environments.find(
    ({ name }) => name === event.environment,
  );
  const segmentNames = useSegmentNames(event);
  const changes = plan
    ? describeEventChanges({ type: event.type, preData: plan.current, data: plan.target }, segmentNames)
    : [];
  return (
    <Confirm
      opened
      title="Revert this change?"
      action={environment?.type === 'production' ? `Revert in ${environment.name}` : 'Revert'}
      focusesCancel={environment?.type === 'production'}
      disabled={changes.length === 0}
      reasonRule={reasonRule}
      onConfirm={async reason => {
        await plan?.apply(addRevertedEvent(reason, event));
        toast({ message: 'Change reverted.' });
      }}
      onClose={onClose}
    >
      <p>
        <Sentence event={event} />
      </p>
      {!plan && !error && <Skeleton rows={2} />}
      <FormErrors messages={messagesWithoutField(error, [])} />
      {plan && changes.length === 0 && <p>There is nothing to revert: everything is as it was before.</p>}
      {plan && changes.length > 0 && (
        <>
          <FieldDiff changes={changes} />
          {plan.notes.map(note => (
            <p key={note}>{note}</p>
          ))}
          {otherEvents > 0 && (
            <p className="muted">
              {formatCount(otherEvents, 'other event')} in the same change{' '}
              {otherEvents === 1 ? 'stays' : 'stay'} as {otherEvents === 1 ? 'it is' : 'they are'}.
            </p>
          )}
        </>
      )}
    </Confirm>
  );
}
