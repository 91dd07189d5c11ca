import { Link } from '@tanstack/react-router';
import s from './events.module.css';
import { findRevertedEvent } from './revert-reason.ts';

/** Shows an event's comment. In the comment of a revert, the id of the reverted event is a link. */
export function Comment({ text }: { text: string }) {
  const reverted = findRevertedEvent(text);
  return (
    <blockquote className={s.comment}>
      {reverted ? (
        <>
          <bdi>{reverted.before}</bdi>
          <Link to="/events/$eventId" params={{ eventId: reverted.id }}>
            {reverted.id}
          </Link>
          {reverted.after}
        </>
      ) : (
        text
      )}
    </blockquote>
  );
}
