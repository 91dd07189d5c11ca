import { Link } from '@tanstack/react-router';
import s from './events.module.css';
import { findRevertedEvent } from './revert-reason.ts';

/** The comment of an event. The comment of a revert links to the reverted event. */
export function Comment({ text }: { text: string }) {
  const reverted = findRevertedEvent(text);
  return (
    <blockquote className={s.comment}>
      {reverted ? (
        <>
          {reverted.before}
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
