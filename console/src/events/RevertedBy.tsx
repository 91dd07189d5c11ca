import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Undo2 } from 'lucide-react';
import { Time } from '../ui/Time.tsx';
import s from './events.module.css';
import { revertsQuery } from './queries.ts';
import { listReverts } from './revert-reason.ts';
import type { RevertibleEvent } from './revertible.ts';

/** Links to the events that reverted this one. Shows nothing while it loads, because most events have not been reverted. */
export function RevertedBy({ event }: { event: RevertibleEvent }) {
  const events = useQuery(revertsQuery(event)).data?.events ?? [];
  return listReverts(events, event.id).map(({ id, createdBy, createdAt }) => (
    <p key={id} className={s.reverted}>
      <Undo2 size={13} aria-hidden="true" />
      <span>
        Reverted by <b>{createdBy}</b> in{' '}
        <Link to="/events/$eventId" params={{ eventId: String(id) }}>
          event {id}
        </Link>
        , <Time at={createdAt} />
      </span>
    </p>
  ));
}
