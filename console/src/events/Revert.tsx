import { useQuery, useQueryClient } from '@tanstack/react-query';
import { otherMessages } from '../api/errors.ts';
import { keys } from '../api/keys.ts';
import { environmentsQuery } from '../shell/queries.ts';
import { Confirm } from '../ui/Confirm.tsx';
import { changesOf } from '../ui/diff.ts';
import { FormErrors } from '../ui/Failure.tsx';
import { FieldDiff } from '../ui/FieldDiff.tsx';
import { Sentence } from '../ui/Sentence.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { toast } from '../ui/toasts.ts';
import { useReasons } from '../ui/useReasons.ts';
import { counted } from '../ui/words.ts';
import { groupQuery } from './queries.ts';
import { planRevert } from './revert.ts';
import type { RevertibleEvent } from './revertible.ts';

/** Shows what reverting the event would change now, and reverts it. */
export function Revert({ event, onClose }: { event: RevertibleEvent; onClose(): void }) {
  const client = useQueryClient();
  const { data: plan, error } = useQuery({
    queryKey: [...keys.event(String(event.id)), 'revert'],
    queryFn: () => planRevert(client, event),
    gcTime: 0,
    retry: false,
  });
  const reasons = useReasons(event.project ?? '');
  const others = (useQuery(groupQuery(event.groupId)).data?.total ?? 1) - 1;
  const environment = useQuery(environmentsQuery).data?.environments.find(
    ({ name }) => name === event.environment,
  );
  const changes = plan ? changesOf(plan.now, plan.reverted) : [];
  return (
    <Confirm
      opened
      title="Revert this change?"
      action={environment?.type === 'production' ? `Revert in ${environment.name}` : 'Revert'}
      careful={environment?.type === 'production'}
      disabled={changes.length === 0}
      reasons={reasons}
      onConfirm={async reason => {
        await plan?.apply(reason);
        toast({ message: 'The change is reverted.' });
      }}
      onClose={onClose}
    >
      <p>
        <Sentence event={event} />
      </p>
      {!plan && !error && <Skeleton rows={2} />}
      <FormErrors messages={otherMessages(error, [])} />
      {plan && changes.length === 0 && <p>There is nothing to revert: everything is as it was before.</p>}
      {plan && changes.length > 0 && (
        <>
          <FieldDiff changes={changes} />
          {plan.notes.map(note => (
            <p key={note}>{note}</p>
          ))}
          {others > 0 && (
            <p className="muted">
              {counted(others, 'other event')} of the same change {others === 1 ? 'stays' : 'stay'} as{' '}
              {others === 1 ? 'it is' : 'they are'}.
            </p>
          )}
        </>
      )}
    </Confirm>
  );
}
