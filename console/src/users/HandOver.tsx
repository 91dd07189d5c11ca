import { useState } from 'react';
import { OwnerSelect } from '../features/OwnerSelect.tsx';
import { addOwner, type Candidate } from '../features/owner-queries.ts';
import { Confirm } from '../ui/Confirm.tsx';
import { toast } from '../ui/toasts.ts';
import { useReasonRule } from '../ui/useReasonRule.ts';
import { formatCount } from '../ui/words.ts';
import { readOwnedItems, type User } from './queries.ts';
import { getDisplayName } from './words.ts';

/** Makes a different person or group the owner of every flag that a user owns. Other owners stay. */
export function HandOverDialog({
  user,
  flagCount,
  projects,
  onClose,
}: {
  user: User;
  flagCount: number;
  /** The projects of the flags. */
  projects: readonly string[];
  onClose(): void;
}) {
  const [successor, setSuccessor] = useState<Candidate>();
  const reasonRule = useReasonRule(...projects);
  const name = getDisplayName(user);
  const run = async (reason: string) => {
    if (!successor) return;
    // The server lists only the first flags, so the list is read again until it is empty.
    for (;;) {
      const { features } = await readOwnedItems(user.id);
      if (features.length === 0) break;
      for (const { name: featureName, project: projectId } of features)
        await addOwner({ projectId, featureName }, successor, {
          replacing: { type: 'user', id: user.id },
          reason,
        });
    }
    toast({ message: `${successor.name} now owns ${name}'s flags.` });
  };
  return (
    <Confirm
      opened
      title={`Hand over ${name}'s flags`}
      action={`Hand over ${formatCount(flagCount, 'flag')}`}
      disabled={!successor}
      reasonRule={reasonRule}
      onConfirm={run}
      onClose={onClose}
    >
      <OwnerSelect selected={successor} excludedUserId={user.id} onChoose={setSuccessor} />
    </Confirm>
  );
}
