import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Can } from '../ui/Can.tsx';
import { Confirm } from '../ui/Confirm.tsx';
import { Failure } from '../ui/Failure.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { Time } from '../ui/Time.tsx';
import { toast } from '../ui/toasts.ts';
import { formatCount, formatNumber } from '../ui/words.ts';
import { deleteInactiveUsers, inactiveQuery } from './queries.ts';
import s from './users.module.css';
import { getDisplayName } from './words.ts';

const MAX_SHOWN = 20;
/** The server deletes at most this many at a time. */
const MAX_DELETED = 1000;

/** Deletes the users that the server considers inactive, after showing who they are. */
export function DeleteInactive() {
  const [isOpen, setOpen] = useState(false);
  const { data, error, refetch } = useQuery({ ...inactiveQuery, enabled: isOpen });
  const users = data?.slice(0, MAX_DELETED) ?? [];
  const userCount = formatCount(users.length, 'user');
  return (
    <>
      <Can call="deleteInactiveUsers">
        <Button onClick={() => setOpen(true)}>Delete inactive users…</Button>
      </Can>
      <Confirm
        opened={isOpen}
        title="Delete inactive users?"
        action={`Delete ${userCount}`}
        danger
        disabled={users.length === 0}
        onConfirm={async () => {
          await deleteInactiveUsers(users.map(({ id }) => id));
          toast({ message: `Deleted ${userCount}.` });
        }}
        onClose={() => setOpen(false)}
      >
        {error && <Failure error={error} onRetry={() => void refetch()} />}
        {!error && !data && <Skeleton rows={3} />}
        {data?.length === 0 && <p>Everybody has used Halyard in the last 180 days.</p>}
        {users.length > 0 && (
          <>
            <p>
              These users have not used Halyard for 180 days. They lose their roles, groups, sessions and
              tokens. Their events remain.
            </p>
            <ul className={s.inactive}>
              {users.slice(0, MAX_SHOWN).map(user => (
                <li key={user.id}>
                  <b>{getDisplayName(user)}</b>{' '}
                  <span className="muted">{user.seenAt ? <Time at={user.seenAt} /> : 'never seen'}</span>
                </li>
              ))}
            </ul>
            {users.length > MAX_SHOWN && <p>and {formatNumber(users.length - MAX_SHOWN)} more</p>}
          </>
        )}
      </Confirm>
    </>
  );
}
